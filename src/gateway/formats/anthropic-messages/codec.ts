// Source: Anthropic's API reference, version 2023-06-01 (the later 2026-10-21 rejects every sampling field).
import type { Capability } from '../../../shared/models.ts'
import { toMessage, toPlainAnswer } from '../chat/answer.ts'
import {
  type CompletionIdentity,
  encodeCall,
  type FormatCodec,
  type UpstreamModel,
} from '../chat/codec-types.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { encodePageQuery, identifyModel, readModels } from '../chat/models.ts'
import type { Target } from '../chat/target.ts'
import { asObject, isObject, type JsonObject, stringOr, wholeNumber } from '../json/json.ts'
import { readAnthropicError, readContent, readFailure, readRefusal, toFinishReason } from './answer.ts'
import { anthropicNative } from './native.ts'
import { encodeBody } from './request.ts'
import { AnthropicStream } from './stream.ts'
import { readAnthropicUsage } from './usage.ts'

function plainAnswer(
  body: unknown,
  { signatures }: Target,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  if (body.type === 'error' || isObject(body.error)) return readFailure(body)
  const usage = readAnthropicUsage(body.usage)
  if (!Array.isArray(body.content)) return emptyAnswer('The answer has no content.', usage)
  const message = { ...toMessage(readContent(body.content, signatures)), ...readRefusal(body) }
  const finish = toFinishReason(stringOr(body.stop_reason, 'end_turn'))
  return toPlainAnswer({ id: body.id, model: body.model }, { message, finish }, usage, defaults)
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
  chatRequest: (request, target) =>
    encodeCall('/messages', JSON.stringify(encodeBody(request, target)), request.stream === true),
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
