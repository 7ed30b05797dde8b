// Admission under caps: reservations are made before an upstream is called, grow with a stream, and end at settlement.
// All decisions are made in this one process and synchronously: nothing can happen between a check and the reservation
// that follows it.
import { addUsd, type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../shared/money/money.ts'
import { type Clock, getTimers, systemClock } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'
import { startWait, type Wait } from '../platform/wait.ts'
import {
  DoesNotFitError,
  LimitReachedError,
  ledgerFull,
  ledgerReserved,
  stillHeld,
  stillReserved,
  streamCut,
} from './budget-errors.ts'
import { computeLeft, findTightest, type Limit, type RequestLimits } from './limit.ts'
import {
  type Amounts,
  heldUnder,
  isInUse,
  largestPlain,
  listStreams,
  type Need,
  type Reservation,
} from './reservation.ts'
import { isSample, type SpendLimits, type Subject } from './spend-limits.ts'

/** How long a request waits for running reservations to settle. */
const MAX_WAIT_MS = 30_000
/** A timer may end a little before the wall clock has come that far. */
const MIN_RESET_MS = 5

interface Waiter {
  subject: Subject
  limits: RequestLimits
  amounts: Amounts
  wait: Wait<Reservation>
}

/**
 * A request is admitted while `spent + reserved < limit`, for every limit that it is under; under a strict limit only if
 * `spent + reserved` and its own worst case together stay within the limit. A plain call reserves its worst case. A stream
 * reserves the bound of its prompt, which has to fit next to other streams, and some output, and more as it runs. It never
 * waits, because its provider goes on writing and billing: when its next part does not fit, the youngest stream under that limit
 * is ended.
 */
export class Budget {
  readonly limits: SpendLimits
  readonly #maxWaitMs: number
  readonly #clock: Clock
  readonly #open = new Set<Reservation>()
  #admitted = 0
  #waiters: Waiter[] = []
  #resetTimer: NodeJS.Timeout | null = null
  #handleLimitsChanged = () => {}

  constructor(limits: SpendLimits, maxWaitMs = MAX_WAIT_MS, clock = systemClock) {
    this.limits = limits
    this.#maxWaitMs = maxWaitMs
    this.#clock = clock
  }

  /** Reserves `amounts` if that is possible without a wait; else null. Throws 402 at a limit. */
  tryReserve(subject: Subject, amounts: Amounts): Reservation | null {
    // A period may have ended since they began to wait.
    this.wakeWaiters()
    const limits = this.limits.findFor(subject)
    const obstacle = this.#findObstacle({ subject, limits, amounts })
    if (obstacle instanceof GatewayError) throw obstacle
    return obstacle === null ? this.#start(subject, limits, amounts) : null
  }

  /**
   * Reserves `amounts`, after a wait if it must be. Throws 402 at a limit, 429 after the wait when only running requests are
   * in the way, and the signal's reason when it aborts.
   */
  async reserve(subject: Subject, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted()
    const atOnce = this.tryReserve(subject, amounts)
    if (atOnce) return atOnce
    const startedAt = this.#clock.monotonic()
    const reservation = await this.#queue(subject, amounts, signal)
    reservation.waitedMs = this.#clock.monotonic() - startedAt
    return reservation
  }

  /** All reservations, in the order of admission. */
  get open(): Iterable<Reservation> {
    return this.#open
  }

  /**
   * Reserves for the next part of a stream: `target` if that fits, else as much as there is. Where even `least` does not fit,
   * ends the youngest stream under that limit, as often as necessary; the last one may use what is left. Returns the amount up
   * to which the stream may go on, or null if it was ended itself.
   */
  extend(reservation: Reservation, { target, booked, likely, least }: Need): NanoUsd | null {
    this.book(reservation, booked)
    while (!reservation.isEnded && this.#open.has(reservation)) {
      const { room, limit } = this.#findRoom(reservation, target)
      const streams = room < target ? listStreams(limit, this.#open) : []
      if (addUsd(booked, least) <= room || (streams.length === 1 && likely < room)) {
        const amount = nanoUsd(Math.min(target, room))
        this.#setAmount(reservation, nanoUsd(Math.max(amount, booked)))
        return amount
      }
      this.#end(streams.at(-1) ?? reservation, limit)
    }
    return null
  }

  /** Records what the provider of a stream can bill if it ends now, in whatever state the stream is. */
  book(reservation: Reservation, booked: NanoUsd): void {
    reservation.booked = booked
    if (booked > reservation.amount) this.#setAmount(reservation, booked)
  }

  /** Whether the whole bound of a request must fit under one of its limits. */
  isStrict(subject: Subject): boolean {
    return this.limits.findStrict(subject, this.limits.findFor(subject)).length > 0
  }

  /**
   * Reserves for one more attempt on top of `failedNano`, which those that failed may cost. It is admitted like a new request.
   * False if it is not.
   */
  reserveAgain(reservation: Reservation, failedNano: NanoUsd): boolean {
    const { subject, limits, amount, started, booked } = reservation
    const most = this.limits.computeLeft(limits) + amount
    const isStrict = this.limits.findStrict(subject, limits).length > 0
    const total = addUsd(failedNano, started)
    if (isStrict ? total > most : failedNano >= most) return false
    this.#setAmount(reservation, total)
    reservation.booked = nanoUsd(Math.max(booked, failedNano))
    return true
  }

  /** Whether a limit stops the request. */
  isLimited({ limits }: Reservation): boolean {
    return limits.stops.length > 0
  }

  /** Releases what is no longer needed. */
  shrink(reservation: Reservation, amount: NanoUsd): void {
    const most = nanoUsd(Math.max(amount, reservation.booked))
    if (!this.#open.has(reservation) || most >= reservation.amount) return
    this.#setAmount(reservation, most)
    this.wakeWaiters()
  }

  /**
   * Keeps `amount` reserved after the request has ended and its charge was added, until `release` is called: its provider
   * may still bill that much.
   */
  hold(reservation: Reservation, amount: NanoUsd): void {
    if (!this.#open.has(reservation)) return
    reservation.held = true
    this.#setAmount(reservation, amount)
    this.wakeWaiters()
  }

  /** The reservation of a request that costs nothing: no limit stops it. */
  reserveNothing(subject: Subject): Reservation {
    return this.#start(subject, this.limits.findFor(subject), reserveExactly(ZERO_USD))
  }

  /** Holds what a request of an earlier run has left. */
  restoreHold(subject: Subject, amount: NanoUsd): Reservation {
    const reservation = this.#start(subject, this.limits.findFor(subject), reserveExactly(amount))
    reservation.held = true
    return reservation
  }

  /**
   * Reserves the whole amount for work that runs at a provider on its own, such as a batch, or nothing: null if it does not fit under
   * every limit that stops it. Throws 402 at a limit.
   */
  reserveWhole(subject: Subject, amount: NanoUsd): Reservation | null {
    const limits = this.limits.findFor(subject)
    const refusal = this.limits.findRefusal(limits)
    if (refusal) throw new LimitReachedError(refusal)
    return amount > this.limits.computeLeft(limits) ? null : this.restoreHold(subject, amount)
  }

  /** Ends a reservation, after its charge was added to key and account. Ending it again does nothing. */
  release(reservation: Reservation): void {
    if (!this.#open.delete(reservation)) return
    this.#reserve(reservation, subtractUsd(ZERO_USD, reservation.amount))
    this.wakeWaiters()
  }

  /** To be called when limits were added, changed or removed: what runs and waits is under the new ones from now on. */
  async refreshLimits(): Promise<void> {
    await this.limits.refresh(() => [
      ...[...this.#open].map(({ subject }) => subject),
      ...this.#waiters.map(({ subject }) => subject),
    ])
    for (const reservation of this.#open) {
      for (const limit of reservation.limits.all) limit.clearReserved()
      reservation.limits = this.limits.findFor(reservation.subject)
      for (const limit of reservation.limits.all) limit.clearReserved()
    }
    for (const { limits, amount, number } of this.#open)
      for (const limit of limits.all) limit.reserve(amount, number)
    for (const waiter of this.#waiters) waiter.limits = this.limits.findFor(waiter.subject)
    this.wakeWaiters()
    this.#handleLimitsChanged()
  }

  /** Calls `listener` after each change of limits, from now on. */
  onLimitsChanged(listener: () => void): void {
    this.#handleLimitsChanged = listener
  }

  /** Admits waiting requests in order, after a release and after a change of a limit or of the spend. */
  wakeWaiters(): void {
    if (this.#waiters.length === 0) return
    for (const waiter of [...this.#waiters]) {
      const { subject, limits, amounts, wait } = waiter
      const obstacle = this.#findObstacle(waiter)
      if (obstacle instanceof GatewayError) wait.reject(obstacle)
      else if (obstacle === null) wait.resolve(this.#start(subject, limits, amounts))
    }
    this.#armReset()
  }

  /** A period that ends makes room without any request ending. */
  #armReset(): void {
    const timers = getTimers(this.#clock)
    timers.clear(this.#resetTimer)
    this.#resetTimer = null
    const ms = Math.min(...this.#waiters.map(({ limits }) => this.limits.msToReset(limits)))
    // No one waits longer than that.
    if (ms < this.#maxWaitMs)
      this.#resetTimer = timers.setTimeout(() => this.wakeWaiters(), Math.max(ms, MIN_RESET_MS)).unref()
  }

  /**
   * The amount that a stream can have next to all others, and the limit that leaves least; null for the ledger. A limit that asks
   * does so before a request is sent; what runs then may finish.
   */
  #findRoom(
    { subject, limits, amount }: Reservation,
    target: NanoUsd,
  ): { room: number; limit: Limit | null } {
    const strict = this.limits.findStrict(subject, limits)
    let room = this.limits.account.roomNano + amount
    let tightest: Limit | null = null
    for (const limit of limits.stops) {
      if (limit.terms.action === 'ask') continue
      let left = computeLeft(limit) + amount
      if (left < target && !strict.includes(limit)) left += largestPlain(limit, this.#open)
      if (left >= room) continue
      room = left
      tightest = limit
    }
    return { room, limit: tightest }
  }

  /** What a stream has booked stays reserved until it is charged; the rest is free immediately. */
  #end(stream: Reservation, limit: Limit | null): void {
    stream.isEnded = true
    this.#setAmount(stream, stream.booked)
    stream.end?.(limit ? streamCut(limit) : ledgerFull(this.limits.account.counters.totalNano))
  }

  /**
   * Why a request cannot be admitted now: null if it can, `wait` while running requests or the end of a period may make
   * room, else the error.
   */
  #findObstacle({ subject, limits, amounts }: Omit<Waiter, 'wait'>): GatewayError | 'wait' | null {
    const refusal = this.limits.findRefusal(limits)
    if (refusal) return new LimitReachedError(refusal)
    const strict = this.limits.findStrict(subject, limits)
    const short = strict.find(({ limitNano, spentNano }) => spentNano + amounts.min > limitNano)
    if (short) return new DoesNotFitError(short, amounts.min, heldUnder(short, this.#open))
    const blocked = limits.stops.filter((limit) => {
      const left = computeLeft(limit)
      if (left <= 0) return true
      if (left >= amounts.min) return false
      // One stream alone may pass a limit with its prompt. Next to others it would be ended as soon as it has begun.
      return strict.includes(limit) || (amounts.end && listStreams(limit, this.#open).length > 0)
    })
    if (blocked.length === 0) return this.limits.account.roomNano > 0 ? null : 'wait'
    const held = blocked.find((limit) => !isInUse(limit, this.#open))
    if (!held || this.limits.msToReset(limits) < this.#maxWaitMs) return 'wait'
    const isPartlyHeld = computeLeft(held) > 0
    return isPartlyHeld
      ? new DoesNotFitError(held, amounts.min, heldUnder(held, this.#open))
      : stillHeld(held)
  }

  #start(subject: Subject, limits: RequestLimits, { min, max, end = null }: Amounts): Reservation {
    const amount = nanoUsd(Math.max(min, Math.min(max, this.limits.computeLeft(limits))))
    const reservation = {
      subject,
      limits,
      end,
      amount,
      started: amount,
      booked: min,
      isEnded: false,
      held: false,
      waitedMs: 0,
      number: this.#admitted++,
    }
    this.#reserve(reservation, amount)
    this.#open.add(reservation)
    return reservation
  }

  #setAmount(reservation: Reservation, amount: NanoUsd): void {
    this.#reserve(reservation, subtractUsd(amount, reservation.amount))
    reservation.amount = amount
  }

  /** Reserves more, or less where the difference is negative. */
  #reserve({ subject, limits, number }: Reservation, difference: NanoUsd): void {
    const { key } = subject
    const { account } = this.limits
    key.reservedNano = addUsd(key.reservedNano, difference)
    if (!isSample(subject)) account.reservedNano = addUsd(account.reservedNano, difference)
    for (const limit of limits.all) limit.reserve(difference, number)
  }

  #queue(subject: Subject, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    const wait = startWait<Reservation>({
      clock: this.#clock,
      signal,
      ms: this.#maxWaitMs,
      onTimeout: () => {
        this.wakeWaiters()
        const { roomNano, reservedNano } = this.limits.account
        const tightest = roomNano > 0 ? findTightest(waiter.limits) : null
        wait.reject(
          tightest ? stillReserved(tightest, this.#maxWaitMs) : ledgerReserved(reservedNano, this.#maxWaitMs),
        )
      },
      onEnd: () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
      },
    })
    const waiter: Waiter = { subject, limits: this.limits.findFor(subject), amounts, wait }
    this.#waiters.push(waiter)
    this.#armReset()
    return wait.promise
  }
}

function reserveExactly(amount: NanoUsd): Amounts {
  return { min: amount, max: amount }
}
