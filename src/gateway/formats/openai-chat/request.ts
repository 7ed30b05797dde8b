// Requests are forwarded unchanged, except for what the vendor or the model is known to reject or to name differently
// (`Quirks`). Source: OpenAI's API reference.
import { type ChatRequest, outputLimit } from '../../../shared/chat.ts'
import type { EncodedRequest, NativeRequest } from '../chat/codec.ts'
import { omitFields } from '../chat/message-content.ts'
import { withoutSignedReasoning } from '../chat/reasoning.ts'
import { usesReasoning } from '../chat/request-fields.ts'
import {
  limitOutput,
  OUTPUT_LIMIT_FIRST,
  type OutputLimitName,
  type Quirks,
  type Target,
} from '../chat/target.ts'
import { editMembers } from '../json/edit-json.ts'
import type { JsonObject } from '../json/json.ts'

/** Sets the output limit in the fields that the vendor supports. */
function setOutputLimit(fields: JsonObject, request: ChatRequest, target: Target): void {
  const limit = limitOutput(outputLimit(request), target)
  const { outputLimit: known = OUTPUT_LIMIT_FIRST } = target.quirks
  const name = known === 'either' ? givenName(request) : known
  delete fields.max_tokens
  delete fields.max_completion_tokens
  if (limit !== null) fields[name] = limit
}

function givenName({ max_tokens: older, max_completion_tokens: newer }: ChatRequest): OutputLimitName {
  return typeof older === 'number' && typeof newer !== 'number' ? 'max_tokens' : 'max_completion_tokens'
}

/** The largest double that serializes to a 64-bit integer. */
const MAX_SEED = 2 ** 63 - 1_024

/** A seed above 2^53 is rounded to the nearest double, which must still fit into 64 bits. */
function setSeed(fields: JsonObject, { seed }: ChatRequest): void {
  if (typeof seed === 'number') fields.seed = Math.max(-MAX_SEED, Math.min(seed, MAX_SEED))
}

/** Whether the model rejects the request's functions unless reasoning is disabled, and the client does not disable it. */
export function mustNotReason(
  { tools, reasoning_effort: effort }: ChatRequest,
  { noReasoningWithTools, reasonsWithTools }: Quirks,
): boolean {
  const hasFunctions = tools?.some(({ type }) => type === 'function') ?? false
  return noReasoningWithTools === true && !reasonsWithTools && hasFunctions && effort !== 'none'
}

/** An effort that the client sets is sent: the provider's answer says why it is rejected. */
function disableReasoningForTools(request: ChatRequest, quirks: Quirks): ChatRequest {
  const { reasoning_effort: effort } = request
  return mustNotReason(request, quirks) && (effort === undefined || effort === null)
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
  // OpenAI rejects `stream_options` on a request that does not stream.
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
  const whileReasoning = usesReasoning(request, quirks) ? quirks.dropWhileReasoning : undefined
  return omitFields(omitFields(fields, quirks.dropFields), whileReasoning)
}

function encode(stream: boolean, body: string): EncodedRequest {
  return {
    path: '/chat/completions',
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
    },
    body,
  }
}

/** The history without members that only other API formats have. */
function omitSignedReasoning(request: ChatRequest): ChatRequest {
  if (!request.messages.some((message) => 'signed_reasoning' in message)) return request
  return { ...request, messages: request.messages.map(withoutSignedReasoning) }
}

export function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  const fields = encodeFields(omitSignedReasoning(request), target)
  return encode(request.stream === true, JSON.stringify(fields))
}

/** The client's own bytes with only those members changed that differ in the request to the target. */
export function nativeRequest(
  { body, chatRequest: given, stream }: NativeRequest,
  target: Target,
): EncodedRequest {
  const fields = encodeFields(given, target)
  const edits: JsonObject = {}
  for (const name of Object.keys(given)) if (fields[name] !== given[name]) edits[name] = fields[name]
  for (const name of Object.keys(fields)) if (fields[name] !== given[name]) edits[name] = fields[name]
  return encode(stream, editMembers(body, edits))
}
