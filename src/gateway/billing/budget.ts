// Admission under caps: reservations are made before an upstream is called, grow with a stream, and end at settlement.
// All decisions are made in this one process and synchronously: nothing can happen between a check and the reservation
// that follows it.
import { type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../shared/money.ts'
import type { KeyState } from '../keys/api-keys.ts'
import { startWait, type Wait } from '../platform/wait.ts'
import type { AccountService } from './account.ts'
import { type LimitReached, limitReachedError, stillReserved } from './budget-errors.ts'
import type { Amounts, Need, Reservation } from './reservation.ts'
import { SpendLimits } from './spend-limits.ts'

/** How long a request waits for running reservations to settle, and a stream for its next top-up. */
const MAX_WAIT_MS = 30_000
/** How long a stream whose wait has timed out waits for the stream that was cut for it to settle. */
const SETTLING_MS = 1_000

interface Waiter {
  key: KeyState
  amounts: Amounts
  wait: Wait<Reservation>
}

interface PausedStream {
  reservation: Reservation
  need: Need
  wait: Wait<NanoUsd>
}

/** Ends a stream that has used up a limit. */
export class StreamCutError extends Error {
  override name = 'StreamCutError'
  readonly reason: LimitReached
  constructor(reason: LimitReached) {
    super(reason.message)
    this.reason = reason
  }
}

/**
 * A request is admitted while `spent + reserved < limit`, for both its key's cap and the account's monthly limit. A plain
 * call reserves its worst case. A stream reserves the bound of its prompt and some output, and more as it runs; it is
 * paused while there is not enough, and cut when the limit is consumed or the wait times out, the youngest first.
 */
export class Budget {
  readonly #limits: SpendLimits
  readonly #maxWaitMs: number
  readonly #open = new Set<Reservation>()
  #admitted = 0
  #waiters: Waiter[] = []
  #paused: PausedStream[] = []

  constructor(account: AccountService, maxWaitMs = MAX_WAIT_MS) {
    this.#limits = new SpendLimits(account)
    this.#maxWaitMs = maxWaitMs
  }

  /** Reserves `amounts` if that is possible without a wait; else null. Throws 402 at the cap. */
  tryReserve(key: KeyState, amounts: Amounts): Reservation | null {
    const refusal = this.#limits.reached(key)
    if (refusal) throw limitReachedError(refusal)
    return !this.#hasWaiters(key) && this.#limits.left(key) > 0 ? this.#start(key, amounts) : null
  }

  /**
   * Reserves `amounts`, after a wait if it must be. Throws 402 at the cap, 429 after the wait when only running reservations
   * are in the way, and the signal's reason when it aborts.
   */
  async reserve(key: KeyState, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted()
    const atOnce = this.tryReserve(key, amounts)
    if (atOnce) return atOnce
    const startedAt = performance.now()
    const reservation = await this.#queue(key, amounts, signal)
    reservation.waitedMs = performance.now() - startedAt
    return reservation
  }

  /**
   * Reserves for the next part of a stream. Resolves with the likely cost up to which it may continue, at once or after a
   * pause. Throws StreamCutError when it may not, and the signal's reason when that aborts.
   */
  async extend(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    signal.throwIfAborted()
    const upTo = this.#grow(reservation, need)
    return upTo ?? this.#pause(reservation, need, signal)
  }

  /** Whether the reservation could be enlarged to `amount` now. */
  fits(reservation: Reservation, amount: NanoUsd): boolean {
    return amount <= this.#available(reservation)
  }

  /** Releases what is no longer needed. */
  shrink(reservation: Reservation, amount: NanoUsd): void {
    if (!this.#open.has(reservation) || amount >= reservation.amount) return
    this.#setAmount(reservation, amount)
    this.wakeWaiters()
  }

  /** Ends a reservation, after its charge was added to key and account. Ending it again does nothing. */
  release(reservation: Reservation): void {
    if (!this.#open.delete(reservation)) return
    if (reservation.paused) this.#paused = this.#paused.filter((paused) => paused.reservation !== reservation)
    this.#limits.reserve(reservation.key, subtractUsd(ZERO_USD, reservation.amount))
    this.wakeWaiters()
  }

  /** Admits waiting requests in order, after a release and after a change of a limit or of the spend. */
  wakeWaiters(): void {
    if (this.#waiters.length === 0 && this.#paused.length === 0) return
    for (const { reservation, need, wait } of [...this.#paused]) {
      const upTo = this.#grow(reservation, need)
      if (upTo !== null) wait.resolve(upTo)
    }
    const blocked = new Set<KeyState>(this.#paused.map(({ reservation }) => reservation.key))
    for (const { key, amounts, wait } of [...this.#waiters]) {
      const refusal = this.#limits.reached(key)
      if (refusal) wait.reject(limitReachedError(refusal))
      else if (!blocked.has(key) && this.#limits.left(key) > 0) wait.resolve(this.#start(key, amounts))
      else blocked.add(key)
    }
    this.#cutDeadlocked()
  }

  #hasWaiters(key: KeyState): boolean {
    return (
      this.#waiters.some((waiter) => waiter.key === key) ||
      this.#paused.some(({ reservation }) => reservation.key === key)
    )
  }

  /** The amount that the reservation can have beside all others. */
  #available({ key, amount }: Reservation): number {
    return this.#limits.left(key) + amount
  }

  #start(key: KeyState, { min, max }: Amounts): Reservation {
    const amount = nanoUsd(Math.max(min, Math.min(max, this.#limits.left(key))))
    const reservation: Reservation = { key, amount, waitedMs: 0, paused: false, number: this.#admitted++ }
    this.#limits.reserve(key, amount)
    this.#open.add(reservation)
    return reservation
  }

  #setAmount(reservation: Reservation, amount: NanoUsd): void {
    this.#limits.reserve(reservation.key, subtractUsd(amount, reservation.amount))
    reservation.amount = amount
  }

  /** Enlarges a stream's reservation as far as possible. Null when what it has consumed uses up the limit. */
  #grow(reservation: Reservation, { target, consumed, next }: Need): NanoUsd | null {
    if (this.fits(reservation, target)) {
      this.#setAmount(reservation, target)
      return next
    }
    const available = this.#available(reservation)
    if (consumed >= available) return null
    // Up to the limit, what was reserved for the prompt beyond its likely cost can be used for output.
    this.#setAmount(reservation, nanoUsd(Math.max(reservation.amount, available)))
    return nanoUsd(Math.min(next, available))
  }

  #queue(key: KeyState, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    const wait = startWait<Reservation>({
      signal,
      ms: this.#maxWaitMs,
      onTimeout: () => {
        wait.reject(stillReserved(key, this.#limits.account, this.#maxWaitMs))
        return 0
      },
      onEnd: () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
      },
    })
    const waiter: Waiter = { key, amounts, wait }
    this.#waiters.push(waiter)
    return wait.promise
  }

  #pause(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    const wait = startWait<NanoUsd>({
      signal,
      ms: this.#maxWaitMs,
      onTimeout: () => {
        const { key } = reservation
        const rivals = this.#paused.filter((other) => this.#limits.sharesLimit(other.reservation.key, key))
        this.#cut(this.#youngest(rivals) ?? paused)
        return SETTLING_MS
      },
      onEnd: () => {
        reservation.paused = false
        this.#paused = this.#paused.filter((other) => other !== paused)
      },
    })
    const paused: PausedStream = { reservation, need, wait }
    reservation.paused = true
    this.#paused.push(paused)
    // What it does not use is released, so that paused streams cannot block each other.
    this.#setAmount(reservation, need.consumed)
    this.wakeWaiters()
    return wait.promise
  }

  /** Streams wait for others to end. When all that have reservations are waiting, nothing will ever be released. */
  #cutDeadlocked(): void {
    while (this.#paused.length > 0) {
      const running = new Set<KeyState>()
      for (const { key, paused } of this.#open) if (!paused) running.add(key)
      const youngest = this.#youngest(this.#paused.filter((paused) => this.#isStuck(paused, running)))
      if (!youngest) return
      this.#cut(youngest)
    }
  }

  /** `running`: the keys of all that do not wait. */
  #isStuck({ reservation, need }: PausedStream, running: ReadonlySet<KeyState>): boolean {
    const { key } = reservation
    if (this.#limits.reached(key, need.consumed)) return true
    return !this.#limits.sharesLimitWith(running, key)
  }

  #youngest(streams: readonly PausedStream[]): PausedStream | null {
    if (streams.length === 0) return null
    return streams.reduce((last, each) => (each.reservation.number > last.reservation.number ? each : last))
  }

  /** What it has consumed stays reserved until it is charged. */
  #cut({ reservation, wait }: PausedStream): void {
    wait.reject(new StreamCutError(this.#limits.cut(reservation.key)))
  }
}
