import type { LiveEvent } from '../../shared/api/events.ts'
import { type Log, silentLog } from './log.ts'

export type Listener = (event: LiveEvent) => void
export type EventType = LiveEvent['type']

interface Subscription {
  /** Null for all. */
  types: readonly EventType[] | null
  /** Called when the gateway stops. */
  onClose(): void
}

export class EventHub {
  readonly #listeners = new Map<Listener, Subscription>()

  readonly #log: Log

  constructor(log: Log = silentLog) {
    this.#log = log
  }

  /**
   * Calls `make` once, and only when there are listeners to such events. Never throws: the event has already happened, so an error here
   * must not make the operation that caused it look failed.
   */
  publish<Type extends EventType>(type: Type, make: () => Extract<LiveEvent, { type: Type }>): void {
    if (this.#listeners.size === 0) return
    try {
      let event: LiveEvent | null = null
      for (const [listener, { types }] of this.#listeners) {
        if (types !== null && !types.includes(type)) continue
        event ??= make()
        listener(event)
      }
    } catch (err) {
      this.#log.error('A live event could not be delivered', { err })
    }
  }

  /** Whether anybody listens to such events: what they need may then be read. */
  isHeard(type: EventType): boolean {
    for (const { types } of this.#listeners.values()) if (types === null || types.includes(type)) return true
    return false
  }

  /** Returns the function that unsubscribes. */
  subscribe(
    listener: Listener,
    { types = null, onClose = () => {} }: Partial<Subscription> = {},
  ): () => void {
    this.#listeners.set(listener, { types, onClose })
    return () => this.#listeners.delete(listener)
  }

  /** Tells every listener that no more events will follow. */
  close(): void {
    for (const { onClose } of this.#listeners.values()) onClose()
    this.#listeners.clear()
  }
}
