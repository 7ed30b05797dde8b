// Counts of tokens, and the models of Gemini's API. Sources: the API references of Google and Anthropic.

import type { ModelRecord } from '../../shared/api/models.ts'
import { isChatModel } from '../../shared/api/terms.ts'
import { CountTokensResponse, type GeminiModel } from '../../shared/formats/gemini.ts'
import { TokenCount } from '../../shared/formats/messages.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { geminiClient } from '../formats/gemini-generate/client/codec.ts'
import type { JsonObject } from '../formats/json/json.ts'
import type { Call } from '../http/calls.ts'
import { rejectForbiddenFields } from '../http/forbidden-fields.ts'
import { GatewayError, invalidRequest } from '../platform/errors.ts'
import { findPlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import { countAtProvider, countTokens } from './count-at-provider.ts'
import { findPayingKey, type ModelCall, toNativeRequest, toPlanMode } from './inference.ts'
import type { GatewayServices } from './services.ts'

/** The call with the model and the kind of stream in its body. */
export function addPathToBody(
  call: Call<'generateContent' | 'streamGenerateContent'>,
  stream: boolean,
): ModelCall {
  const { id: model, body, context } = call
  const sse = new URLSearchParams(context.query).get('alt') === 'sse'
  const json: JsonObject = { ...body, model, stream, sse }
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
    supportedGenerationMethods: isChatModel(record) ? METHODS : [],
    ...(capabilities.includes('reasoning') && { thinking: true }),
  }
}

/** Counted by Google for its models, and here for all others. */
export async function countGeminiTokens(
  call: Call<'countGeminiTokens'>,
  services: GatewayServices,
): Promise<CountTokensResponse> {
  const { id: model, body } = call
  findPlanSignIn(call.headers, null)
  rejectForbiddenFields(body)
  rejectForbiddenFields(body.generateContentRequest ?? {})
  const contents = body.contents ?? []
  const given = body.generateContentRequest ?? (contents.length > 0 ? { contents } : null)
  if (!given) throw invalidRequest('Send "contents" or "generateContentRequest".', { param: 'contents' })
  const { request } = geminiClient.decodeRequest({ ...given, model, stream: false, sse: false })
  const key = await findPayingKey(call, services)
  const native = toNativeRequest(call, 'gemini-generate', request)
  const answer = await countAtProvider({ native, key, trace: call.context.trace }, services)
  const { data } = CountTokensResponse.safeParse(answer)
  return data ?? { totalTokens: await countTokens(request, services) }
}

/** Anthropic's count of the tokens of a message. */
export async function countMessageTokens(
  call: Call<'countMessageTokens'>,
  services: GatewayServices,
): Promise<TokenCount> {
  rejectForbiddenFields(call.body)
  const { request } = clientCodecs['anthropic-messages'].decodeRequest({ ...call.body, max_tokens: 1 })
  const key = await findPayingKey(call, services)
  const native = toNativeRequest(call, 'anthropic-messages', request)
  const signIn = findPlanSignIn(call.headers, 'anthropic-messages')
  const plan = signIn ? toPlanMode(call, native, signIn) : undefined
  const answer = await countAtProvider({ native, plan, key, trace: call.context.trace }, services)
  if (answer === undefined && !plan) return { input_tokens: await countTokens(request, services) }
  const { data } = TokenCount.safeParse(answer)
  if (data) return data
  throw new GatewayError({ status: 502, message: 'The answer of the provider has no count of tokens.' })
}
