import type { LiveEvent } from '../../shared/events.ts'
import { type Log, silentLog } from './log.ts'

export type Listener = (event: LiveEvent) => void

export class EventHub {
  /** Listeners, each with its callback for when the gateway stops. */
  readonly #listeners = new Map<Listener, () => void>()

  readonly #log: Log

  constructor(log: Log = silentLog) {
    this.#log = log
  }

  /**
   * Calls `make` once, and only when there are listeners. Never throws: the event has already happened, so an error here
   * must not make the operation that caused it look failed.
   */
  publish(make: () => LiveEvent): void {
    if (this.#listeners.size === 0) return
    try {
      const event = make()
      for (const listener of this.#listeners.keys()) listener(event)
    } catch (err) {
      this.#log.error('A live event could not be delivered', { err })
    }
  }

  /** `onClose` is called when the gateway stops. Returns the function that unsubscribes. */
  subscribe(listener: Listener, onClose: () => void = () => {}): () => void {
    this.#listeners.set(listener, onClose)
    return () => this.#listeners.delete(listener)
  }

  /** Tells every listener that no more events will follow. */
  close(): void {
    for (const onClose of this.#listeners.values()) onClose()
    this.#listeners.clear()
  }
}
