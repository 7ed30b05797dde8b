// Owns what a request becomes on its way to a vendor of the chat-completions format: as it came, but for what the vendor
// or the model is known to reject or to name otherwise (`Quirks`). Source: OpenAI's API reference.
import { type ChatRequest, outputLimit } from '../../../shared/chat.ts'
import type { EncodedRequest } from '../codec.ts'
import type { JsonObject } from '../json.ts'
import type { Quirks, Target } from '../target.ts'
import { omitFields } from './message-content.ts'

/** Puts the one output limit under the names that the vendor knows. */
function setOutputLimit(fields: JsonObject, request: ChatRequest, target: Target): void {
  const limit = outputLimit(request) ?? target.enforcedOutputTokens ?? null
  const { max_tokens: older, max_completion_tokens: newer } = request
  const isOlder = typeof older === 'number' && typeof newer !== 'number'
  const names = {
    max_tokens: ['max_tokens'],
    max_completion_tokens: ['max_completion_tokens'],
    either: [isOlder ? 'max_tokens' : 'max_completion_tokens'],
    unknown: isOlder ? ['max_tokens'] : ['max_completion_tokens', 'max_tokens'],
  }[target.quirks.outputLimit ?? 'unknown']
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    if (!names.includes(name)) delete fields[name]
    else if (limit !== null) fields[name] = limit
  }
}

/** The greatest double that JSON writes as an integer of 64 bits. */
const MOST_SEED = 2 ** 63 - 1_024

/** A seed beyond 2^53 is known to the nearest double only: it must not come out as a number that no longer fits. */
function setSeed(fields: JsonObject, { seed }: ChatRequest): void {
  if (typeof seed === 'number') fields.seed = Math.max(-MOST_SEED, Math.min(seed, MOST_SEED))
}

/** Whether the model reasons over this request, as far as the request says. */
function reasons({ reasoning_effort: effort }: ChatRequest, quirks: Quirks): boolean {
  return effort === undefined || effort === null ? !quirks.reasoningOffByDefault : effort !== 'none'
}

/** The request with its reasoning off where the model takes no functions otherwise and the client does not say. */
function disableReasoningForTools(
  request: ChatRequest,
  { noReasoningWithTools, reasonsWithTools }: Quirks,
): ChatRequest {
  const hasFunctions = request.tools?.some(({ type }) => type === 'function') ?? false
  const applies = noReasoningWithTools && !reasonsWithTools && hasFunctions
  return applies && (request.reasoning_effort ?? null) === null
    ? { ...request, reasoning_effort: 'none' }
    : request
}

function encodeHistory({ messages }: ChatRequest, dropped: readonly string[]): unknown {
  return messages.map((message) => (message.role === 'assistant' ? omitFields(message, dropped) : message))
}

function encodeFields(given: ChatRequest, target: Target): JsonObject {
  const { quirks } = target
  const request = disableReasoningForTools(given, quirks)
  const fields: JsonObject = { ...request, model: target.upstreamModel }
  if (quirks.dropAssistantFields) fields.messages = encodeHistory(request, quirks.dropAssistantFields)
  // OpenAI refuses `stream_options` on a request that does not stream.
  delete fields.stream_options
  if (request.stream && !quirks.noStreamOptions) {
    fields.stream_options = { ...request.stream_options, include_usage: true }
  }
  if (quirks.noN) delete fields.n
  setOutputLimit(fields, request, target)
  setSeed(fields, request)
  for (const [ours, theirs] of Object.entries(quirks.renameFields ?? {})) {
    if (fields[ours] === undefined) continue
    fields[theirs] = fields[ours]
    delete fields[ours]
  }
  const whileReasoning = reasons(request, quirks) ? quirks.dropWhileReasoning : undefined
  return omitFields(omitFields(fields, quirks.dropFields), whileReasoning)
}

/** The call of `POST /chat/completions`. */
export function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  return {
    path: '/chat/completions',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify(encodeFields(request, target)),
  }
}
