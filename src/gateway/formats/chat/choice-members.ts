// Clients make decisions by these fields of a choice, so only values that the format defines reach them.
import { FINISH_REASONS } from '../../../shared/chat-completion.ts'

/** Those of the format, and that of its deprecated function calls. */
const KNOWN: ReadonlySet<string> = new Set([...FINISH_REASONS, 'function_call'])

/** Other vendors' values. Sources: Mistral's, DeepSeek's and Hugging Face's API references. */
const VENDORS: ReadonlyMap<string, string> = new Map([
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['insufficient_system_resource', 'length'],
  ['tool_use', 'tool_calls'],
  ['safety', 'content_filter'],
])

const MAX_CHOICES = 128

export function isFinishReason(value: unknown): value is string {
  return typeof value === 'string' && KNOWN.has(value)
}

/** The finish reason for an upstream's value; an unknown value means that the answer is complete. */
export function finishReason(value: string, hasCalls: boolean): string {
  if (KNOWN.has(value)) return value
  return VENDORS.get(value) ?? (hasCalls ? 'tool_calls' : 'stop')
}

export function isChoiceIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_CHOICES
}
