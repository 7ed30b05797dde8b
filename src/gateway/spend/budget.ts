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
  StreamCutError,
  stillHeld,
  stillReserved,
  streamCut,
} from './budget-errors.ts'
import {
  computeLeft,
  findReached,
  findTightest,
  type Limit,
  listExhausted,
  type RequestLimits,
} from './limit.ts'
import {
  type Amounts,
  heldUnder,
  isAlone,
  isInUse,
  type Need,
  type PausedStream,
  type Reservation,
  reservedInPause,
  youngestDeadlocked,
  youngestRival,
} from './reservation.ts'
import { exempt, isSample, type SpendLimits, type Subject } from './spend-limits.ts'

/** How long a request waits for running reservations to settle, and a stream for its next top-up. */
const MAX_WAIT_MS = 30_000
/** A timer may end a little before the wall clock has come that far. */
const MIN_RESET_MS = 5
/** How long a stream whose wait has timed out waits for the stream that was cut for it to settle. */
const SETTLING_MS = 1_000

interface Waiter {
  subject: Subject
  limits: RequestLimits
  amounts: Amounts
  wait: Wait<Reservation>
}

/**
 * A request is admitted while `spent + reserved < limit`, for every limit that it is under; under a strict limit only if
 * `spent + reserved` and its own worst case together stay within the limit. A plain call reserves its worst
 * case. A stream reserves the bound of its prompt and some output, and more as it runs; it is paused while there is not
 * enough, and cut when the limit is consumed or the wait times out, the youngest first.
 */
export class Budget {
  readonly limits: SpendLimits
  readonly #maxWaitMs: number
  readonly #clock: Clock
  readonly #open = new Set<Reservation>()
  #admitted = 0
  #waiters: Waiter[] = []
  #paused: PausedStream[] = []
  /** Streams that have less than they ask for, in the order in which they came to a limit. */
  readonly #short = new Set<Reservation>()
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

  /**
   * Reserves for the next part of a stream. Resolves with the likely cost up to which it may continue, immediately or after
   * a pause. Throws StreamCutError when it may not, and the signal's reason when that aborts.
   */
  async extend(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    signal.throwIfAborted()
    return this.#grow(reservation, need) ?? this.#pause(reservation, need, signal)
  }

  /**
   * More has come of a stream that is paused, because its provider goes on: what it has consumed is reserved, and the stream is
   * ended if that uses up a limit.
   */
  consumePaused(reservation: Reservation, need: Need): void {
    const paused = this.#paused.find((each) => each.reservation === reservation)
    if (!paused) return
    paused.need = need
    this.#setAmount(reservation, reservedInPause(reservation, need))
    this.wakeWaiters()
  }

  /** Ends the stream if it is paused. */
  endPaused(reservation: Reservation): void {
    const paused = this.#paused.find((each) => each.reservation === reservation)
    if (paused) this.#cut(paused)
  }

  /** Whether the reservation could be enlarged to `amount` now. */
  fits(reservation: Reservation, amount: NanoUsd): boolean {
    return amount <= this.#available(reservation)
  }

  /** Whether the whole bound of a request must fit under one of its limits. */
  isStrict(subject: Subject): boolean {
    return this.limits.findStrict(subject, this.limits.findFor(subject)).length > 0
  }

  /**
   * Reserves `amount` for one more attempt on top of `beforeNano`, which those that failed may cost. It is admitted like a new
   * request. False if it is not.
   */
  reserveAgain(reservation: Reservation, beforeNano: NanoUsd, amount: NanoUsd): boolean {
    const { subject, limits } = reservation
    const most = this.#available(reservation)
    const isStrict = this.limits.findStrict(subject, limits).length > 0
    const total = addUsd(beforeNano, amount)
    if (isStrict ? total > most : beforeNano >= most) return false
    this.#setAmount(reservation, total)
    return true
  }

  /** Whether a limit stops the request. */
  isLimited({ limits }: Reservation): boolean {
    return limits.stops.some(({ limitNano }) => limitNano !== Infinity)
  }

  /** Releases what is no longer needed. */
  shrink(reservation: Reservation, amount: NanoUsd): void {
    if (!this.#open.has(reservation) || amount >= reservation.amount) return
    this.#setAmount(reservation, amount)
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
    return this.#start(subject, this.limits.findFor(subject), { min: ZERO_USD, max: ZERO_USD })
  }

  /** Holds what a request of an earlier run has left. */
  restoreHold(subject: Subject, amount: NanoUsd): Reservation {
    const reservation = this.#start(subject, this.limits.findFor(subject), { min: amount, max: amount })
    reservation.held = true
    return reservation
  }

  /** Ends a reservation, after its charge was added to key and account. Ending it again does nothing. */
  release(reservation: Reservation): void {
    if (!this.#open.delete(reservation)) return
    this.#short.delete(reservation)
    if (reservation.paused) this.#paused = this.#paused.filter((paused) => paused.reservation !== reservation)
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
      for (const limit of reservation.limits.listed) limit.clearReserved()
      reservation.limits = this.limits.findFor(reservation.subject)
      for (const limit of reservation.limits.listed) limit.clearReserved()
    }
    for (const { limits, amount, number } of this.#open)
      for (const limit of limits.listed) limit.reserve(amount, number)
    for (const waiter of this.#waiters) waiter.limits = this.limits.findFor(waiter.subject)
    this.wakeWaiters()
    this.#handleLimitsChanged()
  }

  /** Calls `listener` after each change of limits, from now on. */
  onLimitsChanged(listener: () => void): void {
    this.#handleLimitsChanged = listener
  }

  /** Lets the request go on whatever it costs under this limit, as far as its others allow. */
  exempt(reservation: Reservation, limit: Limit): void {
    exempt(reservation.subject, limit)
    reservation.limits = this.limits.findFor(reservation.subject)
  }

  /** Admits waiting requests in order, after a release and after a change of a limit or of the spend. */
  wakeWaiters(): void {
    this.#fillShort()
    if (this.#waiters.length === 0 && this.#paused.length === 0) return
    for (const { reservation, need, wait } of [...this.#paused]) {
      const upTo = this.#grow(reservation, need)
      if (upTo !== null) wait.resolve(upTo)
    }
    for (const waiter of [...this.#waiters]) {
      const { subject, limits, amounts, wait } = waiter
      const obstacle = this.#findObstacle(waiter)
      if (obstacle instanceof GatewayError) wait.reject(obstacle)
      else if (obstacle === null) wait.resolve(this.#start(subject, limits, amounts))
    }
    this.#cutDeadlocked()
    this.#armReset()
  }

  /** A period that ends makes room without any request ending. */
  #armReset(): void {
    const timers = getTimers(this.#clock)
    timers.clear(this.#resetTimer)
    this.#resetTimer = null
    const waiting = [...this.#waiters, ...this.#paused.map(({ reservation }) => reservation)]
    const ms = Math.min(...waiting.map(({ limits }) => this.limits.msToReset(limits)))
    // No one waits longer than that.
    if (ms < this.#maxWaitMs)
      this.#resetTimer = timers.setTimeout(() => this.wakeWaiters(), Math.max(ms, MIN_RESET_MS)).unref()
  }

  /** The amount that the reservation can have next to all others. */
  #available({ limits, amount }: Reservation): number {
    return this.limits.computeLeft(limits) + amount
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
    const blocked = [...listExhausted(limits), ...strict.filter((limit) => computeLeft(limit) < amounts.min)]
    if (blocked.length === 0) return this.limits.account.roomNano > 0 ? null : 'wait'
    const held = blocked.find((limit) => !isInUse(limit, this.#open))
    if (!held || this.limits.msToReset(limits) < this.#maxWaitMs) return 'wait'
    const isPartlyHeld = computeLeft(held) > 0
    return isPartlyHeld
      ? new DoesNotFitError(held, amounts.min, heldUnder(held, this.#open))
      : stillHeld(held)
  }

  #start(subject: Subject, limits: RequestLimits, { min, max }: Amounts): Reservation {
    const amount = nanoUsd(Math.max(min, Math.min(max, this.limits.computeLeft(limits))))
    const reservation = {
      subject,
      limits,
      amount,
      wanted: amount,
      waitedMs: 0,
      paused: false,
      held: false,
      number: this.#admitted++,
    }
    this.#reserve(reservation, amount)
    this.#open.add(reservation)
    this.#want(reservation, max)
    return reservation
  }

  #setAmount(reservation: Reservation, amount: NanoUsd): void {
    this.#reserve(reservation, subtractUsd(amount, reservation.amount))
    reservation.amount = amount
    this.#want(reservation, amount)
  }

  #want(reservation: Reservation, wanted: NanoUsd): void {
    reservation.wanted = wanted
    if (wanted > reservation.amount) this.#short.add(reservation)
    else this.#short.delete(reservation)
  }

  /** Released amounts go to running requests that have less than they ask for, before others are admitted. */
  #fillShort(): void {
    for (const reservation of this.#short) {
      const { amount, wanted } = reservation
      const most = Math.min(wanted, this.#available(reservation))
      if (most <= amount) continue
      this.#setAmount(reservation, nanoUsd(most))
      this.#want(reservation, wanted)
    }
  }

  /** Reserves more, or less where the difference is negative. */
  #reserve({ subject, limits, number }: Reservation, difference: NanoUsd): void {
    const { key } = subject
    const { account } = this.limits
    key.reservedNano = addUsd(key.reservedNano, difference)
    if (!isSample(subject)) account.reservedNano = addUsd(account.reservedNano, difference)
    for (const limit of limits.listed) limit.reserve(difference, number)
  }

  /** Enlarges a stream's reservation as far as possible. Null when what it has consumed uses up a limit. */
  #grow(reservation: Reservation, { target, consumed, next, held = consumed }: Need): NanoUsd | null {
    if (this.fits(reservation, target)) {
      this.#setAmount(reservation, target)
      return next
    }
    const most = this.#available(reservation)
    if (consumed >= most) {
      // If others exceed the limit, its own reservation can still be used, unless the limit is spent.
      const isUsedUp = Math.max(consumed, held) >= reservation.amount
      return isUsedUp || findReached(reservation.limits, consumed)
        ? null
        : nanoUsd(Math.min(next, reservation.amount))
    }
    // One request may exceed a limit, but several must not use up what each of them holds for its prompt.
    if (held > Math.max(most, reservation.amount) && !isAlone(reservation, this.#open)) return null
    // Up to the limit, what was reserved for the prompt beyond its likely cost can be used for output.
    this.#setAmount(reservation, nanoUsd(Math.max(reservation.amount, most)))
    this.#want(reservation, target)
    return nanoUsd(Math.min(next, most))
  }

  #queue(subject: Subject, amounts: Amounts, signal: AbortSignal): Promise<Reservation> {
    const wait = startWait<Reservation>({
      clock: this.#clock,
      signal,
      ms: this.#maxWaitMs,
      onTimeout: () => {
        this.wakeWaiters()
        wait.reject(
          this.limits.account.roomNano <= 0
            ? ledgerReserved(this.limits.account.reservedNano, this.#maxWaitMs)
            : stillReserved(findTightest(waiter.limits), this.#maxWaitMs),
        )
        return 0
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

  #pause(reservation: Reservation, need: Need, signal: AbortSignal): Promise<NanoUsd> {
    const wait = startWait<NanoUsd>({
      clock: this.#clock,
      signal,
      ms: this.#maxWaitMs,
      onTimeout: () => {
        this.#cut(youngestRival(this.#paused, reservation) ?? paused)
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
    // The unused part is released, so that paused streams cannot block each other.
    this.#setAmount(reservation, reservedInPause(reservation, need))
    this.wakeWaiters()
    return wait.promise
  }

  #cutDeadlocked(): void {
    for (;;) {
      const youngest = youngestDeadlocked(this.#paused, this.#open)
      if (!youngest) return
      this.#cut(youngest)
    }
  }

  /** The consumed part stays reserved until it is charged. */
  #cut({ reservation, wait }: PausedStream): void {
    const reason =
      this.limits.account.roomNano <= 0
        ? ledgerFull(this.limits.account.counters.totalNano)
        : streamCut(findTightest(reservation.limits))
    wait.reject(new StreamCutError(reason))
  }
}
