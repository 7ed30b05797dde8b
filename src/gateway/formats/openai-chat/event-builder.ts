// Owns the chat events that a stream's parser makes, whichever the format it reads: chunks under the answer's identity,
// and one end. Knows no format but the clients'.
import type { ChunkChoice } from '../../../shared/chat-completion.ts'
import type { CompletionIdentity } from '../codec.ts'
import type { ChatEvent } from '../events.ts'
import { stringOr } from '../json.ts'
import { malformedAnswer, type UpstreamFailure } from '../upstream-failure.ts'

export class EventBuilder {
  #identity: CompletionIdentity
  #ended = false

  constructor(defaults: CompletionIdentity) {
    this.#identity = defaults
  }

  /** Whether the last event has been made. What the upstream sends after it is not read. */
  get ended(): boolean {
    return this.#ended
  }

  /** Takes over how the upstream names its answer and its model; what is no text is left as it was. */
  setIdentity(id: unknown, model: unknown): void {
    const before = this.#identity
    this.#identity = { ...before, id: stringOr(id, before.id), model: stringOr(model, before.model) }
  }

  delta(delta: ChunkChoice['delta'], finishReason: string | null = null): ChatEvent[] {
    const choices = [{ index: 0, delta, finish_reason: finishReason }]
    return [
      { type: 'chunk', chunk: { ...this.#identity, object: 'chat.completion.chunk', choices }, raw: null },
    ]
  }

  done(): ChatEvent[] {
    this.#ended = true
    return [{ type: 'done' }]
  }

  malformed(message: string): ChatEvent[] {
    return this.fail(malformedAnswer(message))
  }

  fail(failure: UpstreamFailure): ChatEvent[] {
    this.#ended = true
    return [{ type: 'failed', failure }]
  }
}
