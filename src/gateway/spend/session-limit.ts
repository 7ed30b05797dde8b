import { addUsd, type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { type ListedLimit, SessionMeter } from './meter.ts'
import { isModelCounted } from './spend-counter.ts'

/** Sessions whose spend is remembered; that of others is read from the ledger again. */
const MAX_SESSIONS = 5_000

/** A listed limit for each session, with a meter for every session that is known. */
export class SessionLimit {
  readonly listed: ListedLimit
  readonly #meters = new Map<string, SessionMeter>()
  /** That of the session used last. */
  last: SessionMeter | null = null

  constructor(listed: ListedLimit) {
    this.listed = listed
  }

  has(sessionId: string): boolean {
    return this.#meters.has(sessionId)
  }

  /** Null for a session whose spend was not read yet. */
  use(sessionId: string): SessionMeter | null {
    const meter = this.#meters.get(sessionId) ?? null
    if (meter) this.last = meter
    return meter
  }

  /** The meter of a session, if the limit is for these models. */
  meterOf(sessionId: string | null): SessionMeter | null {
    return sessionId === null ? null : (this.#meters.get(sessionId) ?? null)
  }

  /**
   * `models`: what the ledger has of the session. `unknownNano`: what may or may not be in it. What is counted of a session that
   * is known is at least that, and changes only to what is certain.
   */
  load(
    sessionId: string,
    models: readonly { model: string; provider: string; nano: number }[],
    unknownNano: NanoUsd,
  ): void {
    const { filter } = this.listed
    const counted = models.filter(({ model, provider }) => isModelCounted(filter, model, provider))
    const spentNano = nanoUsd(counted.reduce((sum, { nano }) => sum + nano, 0) + unknownNano)
    const known = this.#meters.get(sessionId)
    if (known && unknownNano === 0) known.spentNano = spentNano
    if (known) return
    this.#meters.set(sessionId, new SessionMeter(this.listed, sessionId, spentNano))
    if (this.#meters.size > MAX_SESSIONS) this.#forgetOldest()
  }

  add(sessionId: string, cost: NanoUsd): void {
    const meter = this.#meters.get(sessionId)
    if (meter) meter.spentNano = addUsd(meter.spentNano, cost)
  }

  #forgetOldest(): void {
    for (const [id, { reservedNano }] of this.#meters) {
      if (this.#meters.size <= MAX_SESSIONS / 2) return
      if (reservedNano === 0) this.#meters.delete(id)
    }
  }
}
