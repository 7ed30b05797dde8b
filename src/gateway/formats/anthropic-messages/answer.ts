// Content blocks, stop reasons and errors, for plain answers and streams. Source: Anthropic's Messages API reference.
import { type AnswerParts, createParts } from '../chat/answers.ts'
import { describeError, textError, type UpstreamErrorBody, UpstreamFailure } from '../chat/failure.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { asObject, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/** An unknown stop reason becomes `stop`. */
export function toFinishReason(stopReason: string): string {
  return FINISH_REASONS.get(stopReason) ?? 'stop'
}

/** Anthropic's explanation of a refusal, as the `refusal` of a message. */
export function readRefusal(value: JsonObject): { refusal?: string } {
  const details = asObject(value.stop_details)
  return typeof details.explanation === 'string' && details.explanation !== ''
    ? { refusal: details.explanation }
    : {}
}

/** A thinking block as Anthropic expects it back: signed or redacted. Null for one without a signature. */
export function readThinkingBlock(block: JsonObject): JsonObject | null {
  const { type, thinking, signature, data } = block
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data }
  if (type !== 'thinking' || typeof signature !== 'string' || signature === '') return null
  return { type, thinking: stringOr(thinking, ''), signature }
}

/** Remembers the thinking before a tool call until the client sends the call's result. */
export function rememberThinking(
  signatures: ReasoningSignatures,
  callId: string,
  blocks: readonly JsonObject[],
): void {
  if (blocks.length > 0) signatures.remember(callId, JSON.stringify(blocks))
}

/** The blocks for a client that can send them back. `callId`: the tool call that they precede, if they do. */
export function signedThinking(
  blocks: readonly JsonObject[],
  callId?: string,
): { signed_reasoning?: SignedReasoning[] } {
  if (blocks.length === 0) return {}
  const call = callId === undefined ? {} : { call_id: callId }
  return { signed_reasoning: blocks.map((data) => ({ format: 'anthropic-messages', data, ...call })) }
}

const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])

/** Whether the clients' format has a counterpart for the block. */
export function isKnownBlock({ type }: JsonObject): boolean {
  return KNOWN_BLOCKS.has(type)
}

export function readContent(blocks: readonly unknown[], signatures: ReasoningSignatures): AnswerParts {
  const read = createParts()
  let pending: JsonObject[] = []
  let unplaced: JsonObject[] = []
  const place = (callId?: string): void => {
    read.signed.push(...(signedThinking(unplaced, callId).signed_reasoning ?? []))
    unplaced = []
  }
  for (const block of blocks) {
    if (!isObject(block)) continue
    const thinking = readThinkingBlock(block)
    if (thinking) {
      pending.push(thinking)
      unplaced.push(thinking)
    }
    if (!isKnownBlock(block)) read.others.push(block)
    if (block.type === 'text') {
      place()
      read.text += stringOr(block.text, '')
    }
    if (block.type === 'thinking') read.reasoning += stringOr(block.thinking, '')
    if (block.type !== 'tool_use') continue
    const id = stringOr(block.id, '')
    rememberThinking(signatures, id, pending)
    pending = []
    place(id)
    const args = JSON.stringify(block.input ?? {})
    read.calls.push({ id, type: 'function', function: { name: stringOr(block.name, ''), arguments: args } })
  }
  place()
  return read
}

// Source: Anthropic's API reference, "Errors".

/** The HTTP status of each error type. An error in a stream has a type only. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

function readError(value: unknown): UpstreamErrorBody | null {
  const outer = asObject(value)
  const error = isObject(outer.error) ? outer.error : null
  if (!error) return null
  const details = asObject(error.details)
  return {
    message: typeof error.message === 'string' ? error.message : '',
    code: typeof details.error_code === 'string' ? details.error_code : null,
    param: null,
    type: typeof error.type === 'string' ? error.type : null,
  }
}

/** The text itself is the message when it does not have Anthropic's shape (a proxy's error page). */
export function readAnthropicError(text: string): UpstreamErrorBody {
  return readError(parseJson(text)) ?? textError(text)
}

/** Reads an error object that was sent with status 200. */
export function readFailure(value: unknown): UpstreamFailure {
  const error = readError(value)
  return new UpstreamFailure({
    kind: 'status',
    status: STATUSES.get(error?.type ?? '') ?? null,
    code: error?.code ?? error?.type ?? null,
    message: describeError(error?.message ?? ''),
  })
}
