// Which stream is cut when streams wait for each other: the youngest, because it has delivered least.
import type { NanoUsd } from '../../shared/money.ts'
import type { Wait } from '../platform/wait.ts'
import type { Meter } from './meter.ts'
import { exhausted, reached } from './meters.ts'
import type { Need, Reservation } from './reservation.ts'

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
  const running = new Set<Meter>()
  for (const { paused: isPaused, held, meters } of open)
    if (!isPaused && !held) for (const meter of meters.stops) running.add(meter)
  return youngestOf(paused.filter((stream) => isStuck(stream, running)))
}

/** The youngest of `paused` that is under a limit which leaves nothing to `reservation`; null for none. */
export function youngestRival(
  paused: readonly PausedStream[],
  reservation: Reservation,
): PausedStream | null {
  const used = new Set(exhausted(reservation.meters))
  return youngestOf(paused.filter((other) => other.reservation.meters.stops.some((meter) => used.has(meter))))
}

/** `running`: the limits of all that do not wait. */
function isStuck({ reservation: { meters }, need }: PausedStream, running: ReadonlySet<Meter>): boolean {
  return reached(meters, need.consumed) !== null || exhausted(meters).some((meter) => !running.has(meter))
}

function youngestOf(streams: readonly PausedStream[]): PausedStream | null {
  if (streams.length === 0) return null
  return streams.reduce((last, each) => (each.reservation.number > last.reservation.number ? each : last))
}
