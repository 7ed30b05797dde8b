// Owns whose turn it is among the credentials of one provider, within one request. Pure: knows nothing of secrets.
import type { UpstreamFailure } from '../formats/upstream-failure.ts'

/** Statuses by which a provider refuses a credential: unknown, forbidden, out of credit. */
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403])

/** How long a credential is tried last, in milliseconds: until its limit passes, or somebody has set it right. */
const LIMITED_REST_MS = 60_000
const REFUSED_REST_MS = 600_000

/**
 * How long to leave a credential alone after this failure, or null when the failure says nothing of the credential.
 * Takes the provider's own `Retry-After` for a limit when it gives one.
 */
export function restAfter(failure: UpstreamFailure): number | null {
  if (failure.kind === 'credential') return LIMITED_REST_MS
  if (failure.kind !== 'status' || failure.status === null) return null
  if (failure.status === 429) return failure.retryAfterMs ?? LIMITED_REST_MS
  return REFUSED.has(failure.status) ? REFUSED_REST_MS : null
}

/** One request's way through the credentials of a provider, in rounds: those that were refused are not asked again. */
export class Turns {
  #left: readonly number[]
  #at = 0

  /** Empty for a provider without credentials; then the one place is 0. */
  constructor(order: readonly number[]) {
    this.#left = order.length === 0 ? [0] : order
  }

  get current(): number {
    return this.#left[this.#at] ?? 0
  }

  /** Moves on after a failure of the current credential. True when one is next that was not asked in this round. */
  pass(failure: UpstreamFailure): boolean {
    if (restAfter(failure) === null || this.#left.length === 1) return false
    if (failure.status === 429) this.#at += 1
    else this.#left = this.#left.filter((_, index) => index !== this.#at)
    if (this.#at < this.#left.length) return true
    this.#at = 0
    return false
  }
}
