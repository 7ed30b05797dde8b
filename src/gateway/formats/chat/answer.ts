// Answers of other formats as chat completions.
import type { ToolCall } from '../../../shared/chat.ts'
import type { JsonObject } from '../json/json.ts'
import type { CompletionIdentity } from './codec-types.ts'
import type { PlainAnswer } from './events.ts'
import { malformedAnswer, type UpstreamFailure } from './failure.ts'
import { normalizeCompletion } from './normalize.ts'
import type { SignedReasoning } from './reasoning.ts'
import type { ReportedUsage } from './usage.ts'

/** The model's output in the terms of a chat message. */
export interface AnswerParts {
  text: string
  refusal: string
  reasoning: string
  signed: SignedReasoning[]
  calls: ToolCall[]
  /** Output without a counterpart in chat completions, such as searches, unchanged: `content_parts`. */
  others: JsonObject[]
}

export function createParts(): AnswerParts {
  return { text: '', refusal: '', reasoning: '', signed: [], calls: [], others: [] }
}

export function toMessage({ text, refusal, reasoning, signed, calls, others }: AnswerParts): JsonObject {
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(signed.length > 0 && { signed_reasoning: signed }),
    ...(others.length > 0 && { content_parts: others }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

interface Choice {
  message: JsonObject
  finish: string
  logprobs?: JsonObject | null
}

/** An answer with one choice. `members`: those of the completion, as the provider sent them; `defaults` replace what is missing. */
export function toPlainAnswer(
  members: JsonObject,
  { message, finish, logprobs = null }: Choice,
  usage: ReportedUsage | null,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  const choices = [{ index: 0, message, logprobs, finish_reason: finish }]
  const completion = normalizeCompletion({ ...members, choices }, defaults)
  return completion ? { kind: 'plain', completion, usage } : malformedAnswer('The answer has no message.')
}
