import { formatUsd } from '../../shared/money/format-usd.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money/money.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import { getTimers } from '../platform/clock.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { CommonServices } from '../settings/settings.ts'
import { HOLD_MS, type Hold, STRICT_HOLD_MS, type StoredHold } from '../store/store.ts'
import type { AccountService } from './account.ts'
import type { Budget } from './budget.ts'
import type { Reservation } from './reservation.ts'

interface HoldsDeps extends Pick<CommonServices, 'store' | 'clock' | 'log'> {
  budget: Budget
  keys: ApiKeys
  account: AccountService
}

interface HeldReservation extends Hold {
  reservation: Reservation
  /** When it ends, in monotonic milliseconds: a wall clock that jumps ahead must not release it. */
  endsAt: number
}

/** How often the ends of the holds are looked at. */
const CHECK_MS = 60_000

/**
 * Reservations that outlive their requests. A provider may bill a call whose answer never came up to its bound, of which
 * only the likely cost is charged. The rest stays reserved under every limit that stops the request, until it is settled or
 * released, or the hold ends.
 */
export class Holds {
  readonly #deps: HoldsDeps
  /** The reservations by request. */
  readonly #held = new Map<string, HeldReservation>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: HoldsDeps) {
    this.#deps = deps
  }

  /** The hold to store with a settlement; null where there is nothing to hold, or no limit that it could count under. */
  plan(reservation: Reservation, nano: NanoUsd): Hold | null {
    if (nano <= 0 || !this.#deps.budget.isLimited(reservation)) return null
    const ms = this.#deps.budget.isStrict(reservation.subject) ? STRICT_HOLD_MS : HOLD_MS
    return { nano, until: this.#deps.clock.now() + ms }
  }

  /** Keeps a planned hold reserved instead of releasing the reservation. To be called after the charge was added. */
  keep(requestId: string, reservation: Reservation, hold: Hold): void {
    this.#deps.budget.hold(reservation, hold.nano)
    this.#add(requestId, hold, reservation)
    this.#arm()
  }

  #add(requestId: string, hold: Hold, reservation: Reservation): void {
    const { clock } = this.#deps
    const endsAt = clock.monotonic() + hold.until - clock.now()
    this.#held.set(requestId, { ...hold, reservation, endsAt })
  }

  /** Holds again what an earlier run has left. */
  async restore(stored: readonly StoredHold[]): Promise<void> {
    const { budget, keys } = this.#deps
    for (const { request, nano, until } of stored) {
      const key = keys.get(request.keyId)
      if (!key) continue
      const { sessionId, agentId, tag } = request
      await budget.limits.readSession({ key, sessionId, agentId })
      const models = [{ id: request.model ?? request.requestedModel, providerId: request.provider ?? '' }]
      const reservation = budget.restoreHold({ key, models, sessionId, agentId, tag }, nano)
      if (budget.isLimited(reservation)) this.#add(request.id, { nano, until }, reservation)
      else budget.release(reservation)
    }
    this.#arm()
  }

  /** The hold for a request; null for none. */
  find(requestId: string): Hold | null {
    return this.#held.get(requestId) ?? null
  }

  /** Releases what is held for a request, in the ledger first. Throws 400 `not_held` if nothing is. */
  async release(requestId: string): Promise<void> {
    if (!this.#held.has(requestId)) {
      throw invalidRequest(
        'Nothing is held for this request: it was released or settled, or the hold has ended.',
        { code: 'not_held' },
      )
    }
    await this.#deps.store.write('removeHold', requestId)
    this.end(requestId)
  }

  /** Ends a hold that the ledger no longer has. */
  end(requestId: string): void {
    const held = this.#held.get(requestId)
    if (!held) return
    this.#held.delete(requestId)
    const { budget, keys, account } = this.#deps
    budget.release(held.reservation)
    keys.announce(held.reservation.subject.key)
    account.announce()
  }

  close(): void {
    getTimers(this.#deps.clock).clear(this.#timer)
    this.#timer = null
    this.#held.clear()
  }

  #arm(): void {
    if (this.#timer || this.#held.size === 0) return
    const check = () => {
      this.#timer = null
      this.#endExpired()
      this.#arm()
    }
    this.#timer = getTimers(this.#deps.clock).setTimeout(check, CHECK_MS).unref()
  }

  #endExpired(): void {
    const now = this.#deps.clock.monotonic()
    for (const [requestId, { endsAt, nano }] of this.#held) {
      if (endsAt > now) continue
      this.#deps.log.info(`${formatUsd(nanoToUsd(nano))} are no longer held for a request`, { requestId })
      this.end(requestId)
      // The next start deletes what could not be deleted now.
      this.#deps.store.write('removeHold', requestId).catch(() => undefined)
    }
  }
}
