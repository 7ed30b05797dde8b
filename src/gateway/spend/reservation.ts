// The part of the limits that is held while a request runs.
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { Wait } from '../platform/wait.ts'
import { findReached, type Limit, listExhausted, type RequestLimits } from './limit.ts'
import type { Subject } from './spend-limits.ts'

export interface Reservation {
  readonly subject: Subject
  /** The limits in which it reserves. They may change. */
  limits: RequestLimits
  /** The amount that counts against the limits. */
  amount: NanoUsd
  /** The requested amount: more than `amount` for a stream that has come to a limit. */
  wanted: NanoUsd
  /** Milliseconds from the request to the admission. */
  waitedMs: number
  /** True while a stream waits for budget; it then reserves only what it has consumed. */
  paused: boolean
  /** True after the request has ended, for what its provider may still bill. */
  held: boolean
  /** In the order of admission. */
  readonly number: number
}

/** The reservation that a stream needs, and the amount that it has consumed as far as is known. */
export interface Need {
  /** The reservation that covers the worst case of the next part. */
  target: NanoUsd
  /** The likely cost of what was sent and received so far. */
  consumed: NanoUsd
  /** The likely cost at the end of the next part. */
  next: NanoUsd
  /**
   * What the stream can still be billed for all that was sent and received so far, where that is not known before its end: it
   * stays reserved during a pause. Absent: `consumed`.
   */
  held?: NanoUsd
}

/** The amount that a stream keeps reserved while it is paused. */
export function reservedInPause({ amount }: Reservation, { consumed, held = consumed }: Need): NanoUsd {
  return nanoUsd(Math.max(consumed, Math.min(held, amount)))
}

/** A request reserves `max`; a stream accepts less, down to `min`, when there is not enough. */
export interface Amounts {
  min: NanoUsd
  max: NanoUsd
}

/** Whether a request that runs, or a stream that is paused, has reserved a part of the limit. */
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

/** Whether no other request has reserved in the limits that leave nothing. */
export function isAlone(reservation: Reservation, open: ReadonlySet<Reservation>): boolean {
  const used = new Set(listExhausted(reservation.limits))
  return [...open].every(
    (other) => other === reservation || !other.limits.stops.some((limit) => used.has(limit)),
  )
}

// Which stream is cut when streams wait for each other: the youngest, because it has delivered least.

/** A stream that waits for its next reservation. */
export interface PausedStream {
  reservation: Reservation
  need: Need
  wait: Wait<NanoUsd>
}

/**
 * The youngest of `paused` that waits for what nothing will release, because all that have reserved in its limits wait
 * too; null for none. `open`: all reservations.
 */
export function youngestDeadlocked(
  paused: readonly PausedStream[],
  open: Iterable<Reservation>,
): PausedStream | null {
  if (paused.length === 0) return null
  const running = new Set<Limit>()
  for (const { paused: isPaused, held, limits } of open)
    if (!isPaused && !held) for (const limit of limits.stops) running.add(limit)
  return findYoungest(paused.filter((stream) => isStuck(stream, running)))
}

/** The youngest of `paused` that is under a limit which leaves nothing to `reservation`; null for none. */
export function youngestRival(
  paused: readonly PausedStream[],
  reservation: Reservation,
): PausedStream | null {
  const used = new Set(listExhausted(reservation.limits))
  return findYoungest(
    paused.filter((other) => other.reservation.limits.stops.some((limit) => used.has(limit))),
  )
}

/** `running`: the limits of all that do not wait. */
function isStuck({ reservation: { limits }, need }: PausedStream, running: ReadonlySet<Limit>): boolean {
  return (
    findReached(limits, need.consumed) !== null || listExhausted(limits).some((limit) => !running.has(limit))
  )
}

function findYoungest(streams: readonly PausedStream[]): PausedStream | null {
  if (streams.length === 0) return null
  return streams.reduce((last, each) => (each.reservation.number > last.reservation.number ? each : last))
}
