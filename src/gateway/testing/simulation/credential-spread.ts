// Sessions that are spread over several credentials of a provider: each stays with one, unless a 429 moves it.
import { randomForCase } from '../random.ts'
import type { Bill } from './bill.ts'
import { BrokenInvariant } from './broken.ts'

/** The share of worlds in which sessions are spread, and the credentials of each provider there. */
const CHANCE = 0.25
const CREDENTIALS = 3
/** Milliseconds for which a credential rests after a 429, and until an answer has come. */
const REST_MS = 60_000 + 5_000

/** Drawn apart from the rest of a plan, which stays the same without it. */
export function drawSpread(seed: number): boolean {
  return randomForCase(seed, 3).chance(CHANCE)
}

/** The credentials of a provider in its body. */
export function describeCredentials(provider: string, isSpread: boolean): object {
  const credential = `secret-of-${provider}`
  if (!isSpread) return { credential }
  const credentials = Array.from({ length: CREDENTIALS }, (_, number) => `${credential}-${number}`)
  return { credentials, spreadSessions: true }
}

export class CredentialSpread {
  /** The credential of each session at each provider. */
  readonly #homes = new Map<string, string>()
  /** When each provider has last answered with 429. */
  readonly #limitedAt = new Map<string, number>()

  /** To be called with each call, in their order. */
  check({ model: { provider }, credential, sentAt, status, action }: Bill, sessionId: string): void {
    const session = `${provider} ${sessionId}`
    const home = this.#homes.get(session)
    const isMoved = sentAt - (this.#limitedAt.get(provider) ?? -Infinity) < REST_MS
    if (status === 429) this.#limitedAt.set(provider, sentAt)
    if (isMoved) return
    this.#homes.set(session, credential)
    if (home !== undefined && home !== credential)
      throw new BrokenInvariant(
        'spread',
        `a call of request ${action} used another credential of ${provider} than its session before`,
      )
  }
}
