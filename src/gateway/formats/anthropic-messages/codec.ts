// Source: Anthropic's API reference, version 2023-06-01 (the later 2026-10-21 rejects every sampling field).
import type { ChatRequest } from '../../../shared/chat.ts'
import type { CompletionIdentity, EncodedRequest, FormatCodec } from '../chat/codec.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import type { Target } from '../chat/target.ts'
import { isObject, stringOr } from '../json/json.ts'
import { readContent, readRefusal, toFinishReason } from './blocks.ts'
import { readAnthropicError, readFailure } from './errors.ts'
import { nextAnthropicPage, readAnthropicModels } from './models.ts'
import { anthropicNative } from './native.ts'
import { encodeBody } from './request.ts'
import { AnthropicStream } from './stream.ts'
import { readAnthropicUsage } from './usage.ts'

function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  return {
    path: '/messages',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify(encodeBody(request, target)),
  }
}

function plainAnswer(
  body: unknown,
  { signatures }: Target,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  if (body.type === 'error' || isObject(body.error)) return readFailure(body)
  const usage = readAnthropicUsage(body.usage)
  if (!Array.isArray(body.content)) return emptyAnswer('The answer has no content.', usage)
  const { text, reasoning, signed, calls, others } = readContent(body.content, signatures)
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...readRefusal(body),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(signed.length > 0 && { signed_reasoning: signed }),
    ...(others.length > 0 && { content_parts: others }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const finish = toFinishReason(stringOr(body.stop_reason, 'end_turn'))
  const completion = normalizeCompletion(
    {
      id: body.id,
      model: body.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    },
    defaults,
  )
  if (!completion) return malformedAnswer('The answer has no message.')
  return { kind: 'plain', completion, usage }
}

export const anthropicMessages: FormatCodec = {
  quirks: { noN: true },
  headers: { 'anthropic-version': '2023-06-01' },
  authorization: 'x-api-key',
  chatRequest,
  native: anthropicNative,
  plainAnswer,
  streamParser: ({ signatures }, defaults) => new AnthropicStream(defaults, signatures),
  errorBody: readAnthropicError,
  modelsPath: '/models?limit=1000',
  nextPage: nextAnthropicPage,
  models: readAnthropicModels,
}
