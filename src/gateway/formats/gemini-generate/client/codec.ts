// Serves clients of Google's Gemini API. Source: the Gemini API reference, `generateContent` and `streamGenerateContent`.
import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { ChatCompletion, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { GenerateContentRequest } from '../../../../shared/formats/gemini.ts'
import type { AnswerContext, ClientCodec, DecodedRequest } from '../../chat/codec-types.ts'
import { Untranslatable } from '../../chat/failure.ts'
import { readSignedReasoning } from '../../chat/reasoning.ts'
import type { JsonObject } from '../../json/json.ts'
import {
  callParts,
  candidateEnd,
  geminiErrorBody,
  outputParts,
  usageMetadata,
  wantsThoughts,
} from './answer.ts'
import { decodeContents, readInstruction } from './contents.ts'
import { decodeGenerationConfig, decodeTools } from './options.ts'
import { arrayFraming, GeminiStreamWriter, sseFraming } from './stream-writer.ts'

/** The body with what this API has in the URL. */
export interface GeminiRequest extends GenerateContentRequest {
  model: string
  stream: boolean
  /** Whether a stream is one of server-sent events. */
  sse: boolean
}

function decodeRequest(body: GeminiRequest): DecodedRequest {
  const only = new Untranslatable(
    (what) => `${what} Choose a model of a provider that has Google's API format, or remove it.`,
  )
  const instruction = body.systemInstruction ? readInstruction(body.systemInstruction) : ''
  const messages: ChatRequest['messages'] = [
    ...(instruction === '' ? [] : [{ role: 'system' as const, content: instruction }]),
    ...decodeContents(body.contents, only),
  ]
  if (body.cachedContent) {
    only.external = true
    only.add("Only Google can read content in Google's cache.", 'cachedContent')
  }
  const request: ChatRequest = {
    model: body.model,
    messages,
    stream: body.stream,
    ...decodeTools(body, only),
    ...decodeGenerationConfig(body.generationConfig ?? {}, only),
  }
  return { request, untranslatable: only.failure, externalContent: only.external }
}

function answerBody(
  { choices }: ChatCompletion,
  usage: ChatUsage,
  { requestId, model, body }: AnswerContext,
): JsonObject {
  const thoughts = wantsThoughts(body)
  const candidates = choices.map(({ index, message, finish_reason: finish }) => {
    const { parts: calls, malformed } = callParts(message.tool_calls ?? [], readSignedReasoning(message))
    const parts = [...outputParts(message, thoughts), ...calls]
    return {
      content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
      ...candidateEnd(finish, malformed),
      index,
    }
  })
  return { candidates, usageMetadata: usageMetadata(usage), modelVersion: model, responseId: requestId }
}

export const geminiClient: ClientCodec<GeminiRequest> = {
  decodeRequest,
  answerBody,
  streamWriter: (context) =>
    new GeminiStreamWriter(context, context.body.sse === true ? sseFraming() : arrayFraming()),
  errorBody: (error, status) => geminiErrorBody(error, status),
}
