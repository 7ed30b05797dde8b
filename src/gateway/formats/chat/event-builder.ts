import type { ChunkChoice } from '../../../shared/chat-completion.ts'
import { type JsonObject, stringOr } from '../json/json.ts'
import type { CompletionIdentity } from './codec.ts'
import type { ChatEvent } from './events.ts'
import { malformedAnswer, type UpstreamFailure } from './failure.ts'

/** Builds the chat events of a translated stream: chunks with one identity, and one final event. */
export class EventBuilder {
  #identity: CompletionIdentity
  #ended = false

  constructor(defaults: CompletionIdentity) {
    this.#identity = defaults
  }

  /** Whether the last event was built. Whatever the upstream sends afterwards is ignored. */
  get ended(): boolean {
    return this.#ended
  }

  /** Adopts the upstream's answer id and model name; values that are not strings are ignored. */
  setIdentity(id: unknown, model: unknown): void {
    const before = this.#identity
    this.#identity = { ...before, id: stringOr(id, before.id), model: stringOr(model, before.model) }
  }

  delta(
    delta: ChunkChoice['delta'],
    finishReason: string | null = null,
    logprobs: JsonObject | null = null,
  ): ChatEvent[] {
    const choices = [{ index: 0, delta, ...(logprobs && { logprobs }), finish_reason: finishReason }]
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
