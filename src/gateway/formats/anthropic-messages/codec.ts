// Source: Anthropic's API reference, version 2023-06-01 (the later 2026-10-21 rejects every sampling field).
import type { ChatRequest } from '../../../shared/chat.ts'
import type { Capability } from '../../../shared/models.ts'
import type { CompletionIdentity, EncodedRequest, FormatCodec, UpstreamModel } from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { encodePageQuery, identifyModel, readModels } from '../chat/models.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import type { Target } from '../chat/target.ts'
import { asObject, isObject, type JsonObject, stringOr, wholeNumber } from '../json/json.ts'
import { readAnthropicError, readContent, readFailure, readRefusal, toFinishReason } from './answer.ts'
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

// Source: Anthropic's API reference, "List models".

function supports(capabilities: JsonObject, name: string): boolean {
  const support = capabilities[name]
  return isObject(support) && support.supported === true
}

/** Undefined when the entry states none. Every model supports tools, and JSON can be requested of every model. */
function readCapabilities(stated: unknown): Capability[] | undefined {
  if (!isObject(stated)) return undefined
  return [
    ...(supports(stated, 'image_input') ? (['vision'] as const) : []),
    'tools',
    'json',
    ...(supports(stated, 'thinking') ? (['reasoning'] as const) : []),
    'streaming',
  ]
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row)) return null
  const identity = identifyModel(row.id, row.display_name)
  if (!identity) return null
  const created = Math.floor(Date.parse(stringOr(row.created_at, '')) / 1000)
  const contextWindow = wholeNumber(row.max_input_tokens, 1)
  const maxOutputTokens = wholeNumber(row.max_tokens, 1)
  const capabilities = readCapabilities(row.capabilities)
  return {
    ...identity,
    ...(created > 0 && { created }),
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities }),
  }
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
  nextPage: (body) => {
    const { has_more: hasMore, last_id: last } = asObject(body)
    return hasMore === true ? encodePageQuery('after_id', last) : null
  },
  models: (body, limit) => readModels(asObject(body).data, limit, readRow),
}
