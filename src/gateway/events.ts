// Owns the fan-out of live events inside the process. Knows nothing of who listens or over which door.
import type { LiveEvent } from '../shared/requests.ts'

export type Listener = (event: LiveEvent) => void

export class EventHub {
  readonly #listeners = new Set<Listener>()

  publish(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
