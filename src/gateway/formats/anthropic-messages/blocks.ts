// Owns what Anthropic's content blocks and stop reasons are in the chat-completions format, for plain answers and
// streams alike. Source: Anthropic's Messages API reference.
import type { ToolCall } from '../../../shared/chat.ts'
import { isObject, type JsonObject, stringOr } from '../json.ts'
import type { ReasoningSignatures } from '../reasoning-signatures.ts'

const FINISH_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'content_filter',
  }),
)

/** The finish reason for a stop reason; one that is not known yet counts as a plain stop. */
export function toFinishReason(stopReason: string): string {
  return FINISH_REASONS.get(stopReason) ?? 'stop'
}

/** Why the model refused, in Anthropic's words, as the `refusal` of a message. */
export function readRefusal(value: JsonObject): { refusal?: string } {
  const details = isObject(value.stop_details) ? value.stop_details : {}
  return typeof details.explanation === 'string' && details.explanation !== ''
    ? { refusal: details.explanation }
    : {}
}

/** A thought as it must come back: signed, or sealed. Null for one that cannot. */
export function readThinkingBlock(block: JsonObject): JsonObject | null {
  const { type, thinking, signature, data } = block
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data }
  if (type !== 'thinking' || typeof signature !== 'string' || signature === '') return null
  return { type, thinking: stringOr(thinking, ''), signature }
}

/** Keeps what was thought just before a call, for the turn in which the call is answered. */
export function rememberThinking(
  thoughts: ReasoningSignatures,
  callId: string,
  blocks: readonly JsonObject[],
): void {
  if (blocks.length > 0) thoughts.remember(callId, JSON.stringify(blocks))
}

export interface ReadContent {
  text: string
  reasoning: string
  calls: ToolCall[]
  /** What has no member in the format (Anthropic's own server tools), as it came: `content_parts`. */
  others: JsonObject[]
}

const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])

/** Whether a block is of a type that the clients' format has a member for. */
export function isKnownBlock({ type }: JsonObject): boolean {
  return KNOWN_BLOCKS.has(type)
}

/** What a message's blocks say. */
export function readContent(blocks: readonly unknown[], thoughts: ReasoningSignatures): ReadContent {
  const read: ReadContent = { text: '', reasoning: '', calls: [], others: [] }
  let pending: JsonObject[] = []
  for (const block of blocks) {
    if (!isObject(block)) continue
    const kept = readThinkingBlock(block)
    if (kept) pending.push(kept)
    if (!isKnownBlock(block)) read.others.push(block)
    if (block.type === 'text') read.text += stringOr(block.text, '')
    if (block.type === 'thinking') read.reasoning += stringOr(block.thinking, '')
    if (block.type !== 'tool_use') continue
    const id = stringOr(block.id, '')
    rememberThinking(thoughts, id, pending)
    pending = []
    const args = JSON.stringify(block.input ?? {})
    read.calls.push({ id, type: 'function', function: { name: stringOr(block.name, ''), arguments: args } })
  }
  return read
}
