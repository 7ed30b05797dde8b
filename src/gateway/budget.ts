// Admission under caps: reservations are made before an upstream is called, grow with a stream, and end at settlement.
// All decisions are made in this one process, each in one turn of the event loop: there is no window between a check
// and the reservation that follows it.
import { addUsd, type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../shared/money.ts'
import type { AccountBook } from './account.ts'
import {
  accountLimitReached,
  keyLimitReached,
  type LimitReached,
  limitReachedError,
  stillReserved,
  streamCutByAccount,
  streamCutByKey,
} from './budget-errors.ts'
import type { KeyState } from './keys.ts'

/** How long a request waits for running reservations to settle, and a stream for its next top-up. */
const LONGEST_WAIT_MS = 30_000
/** How long a stream whose wait is over gives another one that was cut for it to settle. */
const SETTLING_MS = 1_000

export interface Reservation {
  readonly key: KeyState
  /** What counts against the caps. */
  amount: NanoUsd
  /** Milliseconds from asking to admission. */
  waitedMs: number
  /** True while a stream waits for room; it holds nothing then but what it has consumed. */
  paused: boolean
}

/** What a stream wants to hold, and what it has consumed for all that is known. */
export interface Need {
  /** The reservation that covers the next part of the stream at its worst. */
  want: NanoUsd
  /** The likely cost of what was sent and received so far. */
  consumed: NanoUsd
  /** The likely cost at the end of the next part. */
  next: NanoUsd
}

interface Waiter {
  key: KeyState
  amounts: Amounts
  admit(amount: NanoUsd): void
  refuse(error: Error): void
}

interface PausedStream {
  reservation: Reservation
  need: Need
  resume(upTo: NanoUsd): void
  cut(reason: LimitReached): void
}

/** A request reserves `want`; a stream makes do with less, down to `least`, where the rest does not fit. */
export interface Amounts {
  least: NanoUsd
  want: NanoUsd
}

/** Thrown to a stream that may not go on. */
export class StreamCut extends Error {
  override name = 'StreamCut'
  readonly reason: LimitReached
  constructor(reason: LimitReached) {
    super(reason.message)
    this.reason = reason
  }
}

/**
 * A request is admitted while `spent + reserved < limit`, for its key's cap and for the account's month alike. A plain
 * call holds its worst case. A stream holds the bound of its prompt and some output, and asks for more as it runs; it
 * is paused while there is no room, and cut when the limit is consumed or the wait is over, the youngest first.
 */
export class Budget {
  readonly #account: AccountBook
  readonly #longestWaitMs: number
  /** Running, in the order of admission. */
  readonly #open = new Set<Reservation>()
  #waiters: Waiter[] = []
  #paused: PausedStream[] = []

  constructor(account: AccountBook, longestWaitMs = LONGEST_WAIT_MS) {
    this.#account = account
    this.#longestWaitMs = longestWaitMs
  }

  /**
   * Reserves what `amounts` say. Throws 402 at the cap, and 429 after the wait when only running reservations stand in
   * the way; the signal's reason when it aborts.
   */
  async reserve(key: KeyState, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted()
    const refusal = this.#limitReached(key)
    if (refusal) throw limitReachedError(refusal)
    if (!this.#mustQueue(key) && this.#hasRoom(key)) return this.#admit(key, amounts, 0)
    const startedAt = performance.now()
    const reservation = await this.#queue(key, amounts, signal)
    reservation.waitedMs = performance.now() - startedAt
    return reservation
  }

  /**
   * Makes room for the next part of a stream. Resolves with the likely cost up to which it may go on, at once or after a
   * pause. Throws StreamCut when it may not go on, or the signal's reason when that aborts.
   */
  async extend(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    signal.throwIfAborted()
    const upTo = this.#grow(reservation, need)
    return upTo ?? this.#pause(reservation, need, signal)
  }

  /** Whether the reservation could be enlarged to `amount` now. */
  fits(reservation: Reservation, amount: NanoUsd): boolean {
    return amount <= this.#left(reservation.key) + reservation.amount
  }

  /** Gives back what is not needed any more. */
  shrink(reservation: Reservation, amount: NanoUsd): void {
    if (!this.#open.has(reservation) || amount >= reservation.amount) return
    this.#setAmount(reservation, amount)
    this.pump()
  }

  /** Ends a reservation. The charge, if any, has been added to key and account before. Ending it again does nothing. */
  release(reservation: Reservation): void {
    if (!this.#open.delete(reservation)) return
    this.#paused = this.#paused.filter((paused) => paused.reservation !== reservation)
    this.#take(reservation.key, subtractUsd(ZERO_USD, reservation.amount))
    this.pump()
  }

  /** Looks at who waits again, in order: after a release, and after a limit or what was spent has changed. */
  pump(): void {
    for (const paused of [...this.#paused]) {
      const upTo = this.#grow(paused.reservation, paused.need)
      if (upTo !== null) paused.resume(upTo)
    }
    const blocked = new Set<KeyState>(this.#paused.map(({ reservation }) => reservation.key))
    const waiting = this.#waiters
    this.#waiters = []
    for (const waiter of waiting) {
      const refusal = this.#limitReached(waiter.key)
      if (refusal) waiter.refuse(limitReachedError(refusal))
      else if (!blocked.has(waiter.key) && this.#hasRoom(waiter.key)) {
        waiter.admit(this.#amountFor(waiter.key, waiter.amounts))
      } else {
        blocked.add(waiter.key)
        this.#waiters.push(waiter)
      }
    }
    this.#cutWhereNothingCanBeFreed()
  }

  #mustQueue(key: KeyState): boolean {
    return (
      this.#waiters.some((waiter) => waiter.key === key) ||
      this.#paused.some(({ reservation }) => reservation.key === key)
    )
  }

  #limitReached(key: KeyState, consumed: NanoUsd = ZERO_USD): LimitReached | null {
    if (key.limitNano !== null && key.spendNano + consumed >= key.limitNano) return keyLimitReached(key)
    const account = this.#account
    const { monthlyLimitNano } = account
    if (monthlyLimitNano !== null && account.monthSpendNano + consumed >= monthlyLimitNano) {
      return accountLimitReached(account)
    }
    return null
  }

  #leftOfKey({ limitNano, spendNano, reservedNano }: KeyState): number {
    return limitNano === null ? Infinity : limitNano - spendNano - reservedNano
  }

  #leftOfMonth(): number {
    const account = this.#account
    const { monthlyLimitNano } = account
    return monthlyLimitNano === null
      ? Infinity
      : monthlyLimitNano - account.monthSpendNano - account.reservedNano
  }

  /** What is left of both limits besides all that is spent and reserved; Infinity without a limit. */
  #left(key: KeyState): number {
    return Math.min(this.#leftOfKey(key), this.#leftOfMonth())
  }

  #hasRoom(key: KeyState): boolean {
    return this.#left(key) > 0
  }

  #amountFor(key: KeyState, { least, want }: Amounts): NanoUsd {
    return nanoUsd(Math.max(least, Math.min(want, this.#left(key))))
  }

  #admit(key: KeyState, amounts: Amounts, waitedMs: number): Reservation {
    return this.#start(key, this.#amountFor(key, amounts), waitedMs)
  }

  #start(key: KeyState, amount: NanoUsd, waitedMs: number): Reservation {
    const reservation: Reservation = { key, amount, waitedMs, paused: false }
    this.#take(key, amount)
    this.#open.add(reservation)
    return reservation
  }

  #setAmount(reservation: Reservation, amount: NanoUsd): void {
    this.#take(reservation.key, subtractUsd(amount, reservation.amount))
    reservation.amount = amount
  }

  #take(key: KeyState, difference: NanoUsd): void {
    // Both sums first: neither may move without the other.
    const ofKey = addUsd(key.reservedNano, difference)
    const ofAccount = addUsd(this.#account.reservedNano, difference)
    key.reservedNano = ofKey
    this.#account.reservedNano = ofAccount
  }

  /** Enlarges a stream's reservation as far as there is room. Null when what it has consumed leaves none. */
  #grow(reservation: Reservation, { want, consumed, next }: Need): NanoUsd | null {
    if (this.fits(reservation, want)) {
      this.#setAmount(reservation, want)
      return next
    }
    const room = this.#left(reservation.key) + reservation.amount
    if (consumed >= room) return null
    // The rest is used up to the limit: what the prompt was reserved for beyond its likely cost serves as output then.
    this.#setAmount(reservation, nanoUsd(Math.max(reservation.amount, room)))
    return nanoUsd(Math.min(next, room))
  }

  #pause(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        reservation.paused = false
        this.#paused = this.#paused.filter((other) => other !== paused)
      }
      const paused: PausedStream = {
        reservation,
        need,
        resume: (upTo) => {
          leave()
          resolve(upTo)
        },
        cut: (reason) => {
          leave()
          reject(new StreamCut(reason))
        },
      }
      const aborted = () => {
        leave()
        reject(signal.reason)
      }
      let timer = setTimeout(() => over(), this.#longestWaitMs)
      const over = () => {
        timer = setTimeout(over, SETTLING_MS)
        this.#cut(this.#youngest(this.#paused.filter((other) => this.#competes(other, paused))) ?? paused)
      }
      signal.addEventListener('abort', aborted, { once: true })
      reservation.paused = true
      this.#paused.push(paused)
      // What it does not use now is given back, so that paused streams cannot block each other.
      this.#setAmount(reservation, need.consumed)
      this.pump()
    })
  }

  /** Streams wait for others to end. Where all that hold money wait themselves, nothing will be freed. */
  #cutWhereNothingCanBeFreed(): void {
    for (;;) {
      const stuck = this.#paused.filter((paused) => this.#isStuck(paused))
      const youngest = this.#youngest(stuck)
      if (!youngest) return
      this.#cut(youngest)
    }
  }

  #isStuck({ reservation, need }: PausedStream): boolean {
    const { key } = reservation
    if (this.#limitReached(key, need.consumed)) return true
    return ![...this.#open].some((other) => !other.paused && this.#mayFree(other, key))
  }

  /** Whether the end of a reservation can leave more room to this key. */
  #mayFree(other: Reservation, key: KeyState): boolean {
    return (key.limitNano !== null && other.key === key) || this.#account.monthlyLimitNano !== null
  }

  #competes(other: PausedStream, waiting: PausedStream): boolean {
    return other === waiting || this.#mayFree(other.reservation, waiting.reservation.key)
  }

  #youngest(streams: readonly PausedStream[]): PausedStream | null {
    const order = [...this.#open]
    return streams.reduce<PausedStream | null>(
      (last, each) =>
        last === null || order.indexOf(each.reservation) > order.indexOf(last.reservation) ? each : last,
      null,
    )
  }

  /** What it has consumed stays reserved until it is charged. */
  #cut({ reservation: { key }, cut }: PausedStream): void {
    const byMonth = this.#leftOfMonth() < this.#leftOfKey(key)
    cut(byMonth ? streamCutByAccount(this.#account) : streamCutByKey(key))
  }

  #queue(key: KeyState, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
      }
      const waiter: Waiter = {
        key,
        amounts,
        admit: (amount) => {
          leave()
          resolve(this.#start(key, amount, 0))
        },
        refuse: (error) => {
          leave()
          reject(error)
        },
      }
      const aborted = () =>
        waiter.refuse(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      const timer = setTimeout(
        () => waiter.refuse(stillReserved(key, this.#account, this.#longestWaitMs)),
        this.#longestWaitMs,
      )
      signal.addEventListener('abort', aborted, { once: true })
      this.#waiters.push(waiter)
    })
  }
}
