import { getTimers, systemClock } from '../platform/clock.ts'

const timers = getTimers(systemClock)
/** Longer than any pause before a retry. */
const LONG_MS = 10_000

/** The system's clock, with pauses of some milliseconds between the attempts of a request. */
export const shortWaits = {
  ...systemClock,
  timers: {
    ...timers,
    delay: (ms: number, options = {}) => timers.delay(ms < LONG_MS ? Math.min(ms, 5) : ms, options),
  },
}
