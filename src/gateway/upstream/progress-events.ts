// Owns which events of a stream show that an answer is being made. All others only say that the connection lives, as
// comments do, and must not keep a provider alive that has stopped working.
import type { ChunkChoice } from '../../shared/chat-completion.ts'
import type { ChatEvent } from '../formats/events.ts'
import { tokensIn, tokensOut } from '../formats/token-usage.ts'

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

/** A role alone says nothing: it is what empty pieces carry. */
function says({ delta, finish_reason: finish }: ChunkChoice): boolean {
  return (
    finish !== null || Object.entries(delta).some(([name, value]) => name !== 'role' && isSomething(value))
  )
}

export class Progress {
  #tokens = 0

  /** Whether the event brings something: words, calls, an end, or a higher count. */
  madeBy(event: ChatEvent): boolean {
    switch (event.type) {
      case 'chunk':
        return event.chunk.choices.some(says)
      case 'usage': {
        const { buckets } = event.usage
        const tokens = tokensIn(buckets) + tokensOut(buckets)
        const grew = tokens > this.#tokens
        this.#tokens = Math.max(tokens, this.#tokens)
        return grew
      }
      case 'done':
      case 'failed':
        return true
    }
  }
}
