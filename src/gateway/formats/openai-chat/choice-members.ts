// The members of a choice that clients decide by: only values of the format's closed sets reach them.
import { FINISH_REASONS } from '../../../shared/chat-completion.ts'

/** The format's own, and the one of its older function calls. */
const KNOWN: ReadonlySet<string> = new Set([...FINISH_REASONS, 'function_call'])

/** What vendors of the format say instead. Sources: Mistral's, DeepSeek's and Hugging Face's API references. */
const VENDORS: ReadonlyMap<string, string> = new Map([
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['insufficient_system_resource', 'length'],
  ['tool_use', 'tool_calls'],
  ['safety', 'content_filter'],
])

const MOST_CHOICES = 128

export function isFinishReason(value: unknown): value is string {
  return typeof value === 'string' && KNOWN.has(value)
}

/** The finish reason for what an upstream says; a word that nobody knows says that the answer is over. */
export function finishReason(value: string, hasCalls: boolean): string {
  if (KNOWN.has(value)) return value
  return VENDORS.get(value) ?? (hasCalls ? 'tool_calls' : 'stop')
}

/** Whether the value can be the place of a choice. */
export function isChoiceIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MOST_CHOICES
}
