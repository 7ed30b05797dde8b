// Owns the memory of which provider is failing, so that a broken one is rested instead of hammered.
// Knows nothing of requests: it is told of successes and failures, and asked who is fit to be called.
import type { Clock } from '../platform/clock.ts'

const FAILURES_TO_REST = 5
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 300_000

export interface BreakerState {
  state: 'ready' | 'resting'
  /** Epoch milliseconds at which the next call is let through; null while ready. */
  until: number | null
  /** The latest failure since the last success. */
  lastError: string | null
}

interface Entry {
  failures: number
  lastError: string | null
  restMs: number
  /** Monotonic time; null while ready. */
  restsUntil: number | null
  probing: boolean
}

/**
 * One circuit breaker per provider. After 5 failures in a row the provider rests for 30 s; then a single call is
 * let through to probe it. A failed probe doubles the rest, up to 5 minutes; a success makes it ready again.
 */
export class Breakers {
  readonly #clock: Clock
  readonly #changed: (providerId: string) => void
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock, changed: (providerId: string) => void = () => {}) {
    this.#clock = clock
    this.#changed = changed
  }

  /** Whether the provider should be called in its turn. False: call it only when nobody else is left. */
  isReady(providerId: string): boolean {
    const entry = this.#entries.get(providerId)
    if (!entry || entry.restsUntil === null) return true
    return !entry.probing && this.#clock.monotonic() >= entry.restsUntil
  }

  /** Notes that a call is about to be made; past the rest's end it is the one probe, and others go on waiting. */
  calling(providerId: string): void {
    const entry = this.#entries.get(providerId)
    if (entry && entry.restsUntil !== null && this.isReady(providerId)) entry.probing = true
  }

  succeeded(providerId: string): void {
    const entry = this.#entries.get(providerId)
    if (!entry) return
    this.#entries.delete(providerId)
    if (entry.restsUntil !== null) this.#changed(providerId)
  }

  failed(providerId: string, error: string): void {
    const entry = this.#entries.get(providerId) ?? {
      failures: 0,
      lastError: null,
      restMs: FIRST_REST_MS,
      restsUntil: null,
      probing: false,
    }
    this.#entries.set(providerId, entry)
    entry.failures += 1
    entry.lastError = error
    if (entry.restsUntil === null) {
      if (entry.failures < FAILURES_TO_REST) return
    } else if (entry.probing) {
      entry.probing = false
      entry.restMs = Math.min(entry.restMs * 2, LONGEST_REST_MS)
    } else {
      return
    }
    entry.restsUntil = this.#clock.monotonic() + entry.restMs
    this.#changed(providerId)
  }

  /** The call ended without saying anything about the provider's health (aborted, refused request). */
  released(providerId: string): void {
    const entry = this.#entries.get(providerId)
    if (entry) entry.probing = false
  }

  state(providerId: string): BreakerState {
    const entry = this.#entries.get(providerId)
    if (!entry) return { state: 'ready', until: null, lastError: null }
    if (entry.restsUntil === null) return { state: 'ready', until: null, lastError: entry.lastError }
    const left = Math.max(0, entry.restsUntil - this.#clock.monotonic())
    return { state: 'resting', until: Math.round(this.#clock.now() + left), lastError: entry.lastError }
  }

  /** Drops what is remembered, for a provider whose settings were changed or that was removed. */
  forget(providerId: string): void {
    const entry = this.#entries.get(providerId)
    this.#entries.delete(providerId)
    if (entry && entry.restsUntil !== null) this.#changed(providerId)
  }
}
