// The part of the limits that is held while a request runs.
import { addUsd, type NanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { LimitReached } from './budget-errors.ts'
import type { Limit, RequestLimits } from './limit.ts'
import type { Subject } from './spend-limits.ts'

/** The amounts that a request reserves. */
export interface Amounts {
  /** A plain call and a strict request reserve their worst case; a stream at least the bound of its prompt. */
  min: NanoUsd
  /** More than `min` only for a stream, which accepts less when there is not enough. */
  max: NanoUsd
  /** Ends a stream that is metered while it runs; absent for a request whose worst case is reserved. */
  end?: ((reason: LimitReached) => void) | null
}

export interface Reservation {
  readonly subject: Subject
  /** Null for a request whose worst case is reserved. */
  readonly end: ((reason: LimitReached) => void) | null
  /** The limits in which it reserves. They may change. */
  limits: RequestLimits
  /** The amount that counts against the limits: never less than `booked`. */
  amount: NanoUsd
  /** The amount at its admission. */
  readonly started: NanoUsd
  /** The highest bill of the provider if the request ended now: its worst case, unless it is a stream. */
  booked: NanoUsd
  /** Whether a limit has ended it. */
  isEnded: boolean
  /** Milliseconds from the request to the admission. */
  waitedMs: number
  /** True after the request has ended, for what its provider may still bill. */
  held: boolean
  /** In the order of admission. */
  readonly number: number
}

/** The costs of a stream up to the end of its next part. */
export interface Need {
  /** Covers the worst case of the request up to the end of a part of the usual size. */
  target: NanoUsd
  /** The highest bill of its provider if it ended now. */
  booked: NanoUsd
  /** The likely charge if it ended now: less than `booked` where the provider has not counted the prompt. */
  likely: NanoUsd
  /** The highest cost of the output in a part of the least size. */
  least: NanoUsd
}

/** Whether a request that runs has reserved a part of the limit. */
export function isInUse(limit: Limit, open: Iterable<Reservation>): boolean {
  for (const { held, limits } of open) if (!held && limits.stops.includes(limit)) return true
  return false
}

/** The amount held under the limit for requests that have ended. */
export function heldUnder(limit: Limit, open: Iterable<Reservation>): NanoUsd {
  let sum = ZERO_USD
  for (const { held, limits, amount } of open)
    if (held && limits.stops.includes(limit)) sum = addUsd(sum, amount)
  return sum
}

/**
 * The worst case of the largest call that runs under the limit and is not a stream. It is the one request by which the limit may
 * be exceeded, so streams do not have to leave it.
 */
export function largestPlain(limit: Limit, open: Iterable<Reservation>): NanoUsd {
  let most = ZERO_USD
  for (const { held, end, limits, amount, number } of open) {
    const isPlain = !held && end === null && limits.stops.includes(limit)
    if (isPlain && amount > most && limit.counts(number)) most = amount
  }
  return most
}

/** The streams that run under the limit, the youngest last. `open`: in the order of admission. */
export function listStreams(limit: Limit | null, open: Iterable<Reservation>): Reservation[] {
  return [...open].filter(
    ({ held, end, isEnded, limits }) =>
      !held && end !== null && !isEnded && (limit === null || limits.stops.includes(limit)),
  )
}
