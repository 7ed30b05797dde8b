import type { Clock } from '../platform/clock.ts'

const FAILURES_TO_OPEN = 5
const FIRST_OPEN_MS = 30_000
const LONGEST_OPEN_MS = 300_000

export interface CircuitState {
  state: 'closed' | 'open' | 'half-open'
  /** Epoch milliseconds at which the next call is let through; null while closed. */
  until: number | null
  /** The latest failure since the last success. */
  lastError: string | null
  /** Epoch milliseconds of that failure. */
  lastErrorAt: number | null
}

/** `failing`: too many calls in a row have failed; `recovered`: one has succeeded since. Null: anything else has changed. */
type HealthChange = { kind: 'failing'; since: number; error: string } | { kind: 'recovered' } | null

type OnChange = (providerId: string, change: HealthChange) => void

interface Circuit {
  failures: number
  /** Epoch milliseconds of the first of them. */
  failingSince: number
  lastError: string | null
  lastErrorAt: number | null
  openMs: number
  /** Monotonic time at which a probe is let through; null while closed. */
  openUntil: number | null
  probing: boolean
}

/**
 * One circuit breaker per provider. After 5 failures in a row it opens for 30 s; then it is half-open: a single call is
 * let through as a probe. A failed probe opens it for twice as long, up to 5 minutes; a success closes it.
 */
export class CircuitBreakers {
  readonly #clock: Clock
  readonly #onChange: OnChange
  readonly #circuits = new Map<string, Circuit>()

  constructor(clock: Clock, onChange: OnChange = () => {}) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** False: call the provider only when there is no other. */
  allows(providerId: string): boolean {
    const circuit = this.#circuits.get(providerId)
    if (!circuit || circuit.openUntil === null) return true
    return !circuit.probing && this.#clock.monotonic() >= circuit.openUntil
  }

  /** To be called before each call. The first one after the circuit was open is the probe. */
  recordCall(providerId: string): void {
    const circuit = this.#circuits.get(providerId)
    if (circuit && circuit.openUntil !== null && this.allows(providerId)) circuit.probing = true
  }

  recordSuccess(providerId: string): void {
    const circuit = this.#circuits.get(providerId)
    if (!circuit) return
    this.#circuits.delete(providerId)
    if (circuit.openUntil !== null) this.#onChange(providerId, { kind: 'recovered' })
  }

  recordFailure(providerId: string, error: string): void {
    const circuit = this.#circuits.get(providerId) ?? {
      failures: 0,
      failingSince: this.#clock.now(),
      lastError: null,
      lastErrorAt: null,
      openMs: FIRST_OPEN_MS,
      openUntil: null,
      probing: false,
    }
    this.#circuits.set(providerId, circuit)
    circuit.failures += 1
    circuit.lastError = error
    circuit.lastErrorAt = this.#clock.now()
    let change: HealthChange = null
    if (circuit.openUntil === null) {
      if (circuit.failures < FAILURES_TO_OPEN) return
      change = { kind: 'failing', since: circuit.failingSince, error }
    } else if (circuit.probing) {
      circuit.probing = false
      circuit.openMs = Math.min(circuit.openMs * 2, LONGEST_OPEN_MS)
    } else {
      return
    }
    circuit.openUntil = this.#clock.monotonic() + circuit.openMs
    this.#onChange(providerId, change)
  }

  /** For a call that showed nothing of the provider's health: it was aborted, or the request was rejected. */
  recordNeutral(providerId: string): void {
    const circuit = this.#circuits.get(providerId)
    if (circuit) circuit.probing = false
  }

  state(providerId: string): CircuitState {
    const circuit = this.#circuits.get(providerId)
    if (!circuit) return { state: 'closed', until: null, lastError: null, lastErrorAt: null }
    const { openUntil, probing, lastError, lastErrorAt } = circuit
    if (openUntil === null) return { state: 'closed', until: null, lastError, lastErrorAt }
    const remainingMs = openUntil - this.#clock.monotonic()
    return {
      state: probing || remainingMs <= 0 ? 'half-open' : 'open',
      until: Math.round(this.#clock.now() + Math.max(0, remainingMs)),
      lastError,
      lastErrorAt,
    }
  }

  /** For a provider that was changed or removed. */
  reset(providerId: string): void {
    const circuit = this.#circuits.get(providerId)
    this.#circuits.delete(providerId)
    if (circuit && circuit.openUntil !== null) this.#onChange(providerId, null)
  }
}
