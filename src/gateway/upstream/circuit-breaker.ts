import type { UpstreamFailure } from '../formats/chat/failure.ts'
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

  /** Records a call that showed nothing of the provider's health: it was aborted, or the request was rejected. */
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

  /** Forgets a provider that was changed or removed. */
  reset(providerId: string): void {
    const circuit = this.#circuits.get(providerId)
    this.#circuits.delete(providerId)
    if (circuit && circuit.openUntil !== null) this.#onChange(providerId, null)
  }
}

/** Statuses by which a provider rejects a credential: unknown, forbidden, out of credit. */
const REJECTED: ReadonlySet<number> = new Set([401, 402, 403])

const LIMITED_COOL_DOWN_MS = 60_000
/** A rejected credential works again only when the user has fixed something. */
const REJECTED_COOL_DOWN_MS = 600_000

/**
 * For how many milliseconds other credentials should go first after this failure; null when the failure does not
 * concern the credential. For a rate limit it is the provider's own `Retry-After`, if it sends one.
 */
export function coolDownAfter(failure: UpstreamFailure): number | null {
  if (failure.kind === 'credential') return LIMITED_COOL_DOWN_MS
  if (failure.kind !== 'status' || failure.status === null) return null
  if (failure.status === 429) return failure.retryAfterMs ?? LIMITED_COOL_DOWN_MS
  return REJECTED.has(failure.status) ? REJECTED_COOL_DOWN_MS : null
}

/** The credentials of one provider within one request, used in rounds. A rejected one is not used again. */
export class CredentialRotation {
  #remaining: readonly number[]
  #at = 0

  /** `order`: credential indexes. Empty for a provider without credentials; then the only index is 0. */
  constructor(order: readonly number[]) {
    this.#remaining = order.length === 0 ? [0] : order
  }

  get current(): number {
    return this.#remaining[this.#at] ?? 0
  }

  /** Moves on after a failure with the current credential. True when the next one was not used in this round yet. */
  advance(failure: UpstreamFailure): boolean {
    if (coolDownAfter(failure) === null || this.#remaining.length === 1) return false
    if (failure.status === 429) this.#at += 1
    else this.#remaining = this.#remaining.filter((_, index) => index !== this.#at)
    if (this.#at < this.#remaining.length) return true
    this.#at = 0
    return false
  }
}
