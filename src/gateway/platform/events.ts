// Owns the fan-out of live events inside the process. Knows nothing of who listens or over which door.
import type { LiveEvent } from '../../shared/requests.ts'
import { type Log, silentLog } from './log.ts'

export type Listener = (event: LiveEvent) => void

export class EventHub {
  /** Each with what is to be called when there will be no more events. */
  readonly #listeners = new Map<Listener, () => void>()

  readonly #log: Log

  constructor(log: Log = silentLog) {
    this.#log = log
  }

  /**
   * `make` is called once, and only when somebody listens. Never throws: what is told of is done already, and must not
   * seem to have failed.
   */
  publish(make: () => LiveEvent): void {
    if (this.#listeners.size === 0) return
    try {
      const event = make()
      for (const listener of this.#listeners.keys()) listener(event)
    } catch (error) {
      this.#log.error(`A live event was not told: ${error instanceof Error ? error.stack : String(error)}`)
    }
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
