// Owns the fan-out of live events inside the process. Knows nothing of who listens or over which door.
import type { LiveEvent } from '../shared/requests.ts'

export type Listener = (event: LiveEvent) => void

export class EventHub {
  /** Each with what is to be called when there will be no more events. */
  readonly #listeners = new Map<Listener, () => void>()

  /** `make` is called once, and only when somebody listens. */
  publish(make: () => LiveEvent): void {
    if (this.#listeners.size === 0) return
    const event = make()
    for (const listener of this.#listeners.keys()) listener(event)
  }

  subscribe(listener: Listener, closed: () => void = () => {}): () => void {
    this.#listeners.set(listener, closed)
    return () => this.#listeners.delete(listener)
  }

  /** The gateway stops: tells every listener. */
  close(): void {
    for (const closed of this.#listeners.values()) closed()
    this.#listeners.clear()
  }
}
