// Which events of a stream show that the model is still working. All others only show that the connection is open, as
// comments do, and must not prevent the stall time-out of a provider that has stopped.
import type { ChunkChoice } from '../../shared/chat-completion.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { tokensIn, tokensOut } from '../formats/chat/usage.ts'

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

/** A role alone is no content: empty chunks have one. */
function hasContent({ delta, finish_reason: finish }: ChunkChoice): boolean {
  if (finish !== null) return true
  for (const name in delta) if (name !== 'role' && hasValue(delta[name])) return true
  return false
}

export class ProgressDetector {
  #tokens = 0

  /** Whether the event brings text, tool calls, an end, or a higher token count than before. */
  isProgress(event: ChatEvent): boolean {
    switch (event.type) {
      case 'chunk':
        return event.chunk.choices.some(hasContent)
      case 'usage': {
        const { buckets } = event.usage
        const tokens = tokensIn(buckets) + tokensOut(buckets)
        const grew = tokens > this.#tokens
        this.#tokens = Math.max(tokens, this.#tokens)
        return grew
      }
      case 'native':
        return false
      case 'bytes':
      case 'done':
      case 'failed':
        return true
    }
  }
}
