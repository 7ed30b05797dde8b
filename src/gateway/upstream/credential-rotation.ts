import type { UpstreamFailure } from '../formats/chat/failure.ts'

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
