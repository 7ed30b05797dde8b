// Wall time is stored; monotonic time measures durations and time-outs.
import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Milliseconds since the Unix epoch; may jump either way. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
