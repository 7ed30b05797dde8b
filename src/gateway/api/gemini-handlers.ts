// What Gemini's API has in the URL, and its operations besides `generateContent`. Source: the Gemini API reference.
import type { GeminiModel } from '../../shared/gemini.ts'
import type { ModelRecord } from '../../shared/models.ts'
import { geminiClient } from '../formats/gemini-generate/client/codec.ts'
import type { JsonObject } from '../formats/json.ts'
import { countTokens } from '../inference/count-tokens.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { ModelCall } from './inference-handler.ts'
import type { Call, StreamCall } from './operation-call.ts'
import type { GatewayServices } from './services.ts'

/** The call with the model and the kind of stream in its body. */
export function withPath(
  call: StreamCall<'generateContent' | 'streamGenerateContent'>,
  stream: boolean,
): ModelCall {
  const { id: model, body, response } = call
  const { searchParams } = new URL(response.req.url ?? '', 'http://localhost')
  const json: JsonObject = { ...body, model, stream, sse: searchParams.get('alt') === 'sse' }
  return { ...call, body: json }
}

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens']

export function toGeminiModel(record: ModelRecord): GeminiModel {
  const { id, name, contextWindow, maxOutputTokens, capabilities } = record
  return {
    name: `models/${id}`,
    version: '',
    displayName: name,
    description: '',
    ...(contextWindow !== null && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== null && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: METHODS,
    ...(capabilities.includes('reasoning') && { thinking: true }),
  }
}

/** Counts here, at every provider alike. */
export async function countGeminiTokens(
  { id: model, body }: Call<'countGeminiTokens'>,
  services: GatewayServices,
): Promise<{ totalTokens: number }> {
  const contents = body.contents ?? []
  const given = body.generateContentRequest ?? (contents.length > 0 ? { contents } : null)
  if (!given) throw invalidRequest('Send "contents" or "generateContentRequest".', { param: 'contents' })
  const { request } = geminiClient.decodeRequest({ ...given, model, stream: false, sse: false })
  return { totalTokens: await countTokens(request, services) }
}
