import { type Clock, getTimers, systemClock, type Timers } from '../platform/clock.ts'

const timers = getTimers(systemClock)
/** Longer than any pause before a retry that no provider has asked for. */
const LONG_MS = 5_000

/** The system's clock, with pauses of some milliseconds between the attempts of a request. */
export const shortWaits = {
  ...systemClock,
  timers: {
    ...timers,
    delay: (ms: number, options: Parameters<Timers['delay']>[1] = {}) =>
      timers.delay(options.signal && ms < LONG_MS ? Math.min(ms, 5) : ms, options),
  },
}

/** Repeats failed writes soon, too. */
export const impatient = {
  timers: { ...timers, delay: (ms: number, options = {}) => timers.delay(Math.min(ms, 5), options) },
}

/** A clock with short waits whose time a test can skip. */
export class SkippableClock implements Clock {
  readonly now: () => number
  readonly monotonic = () => systemClock.monotonic() + this.#skippedMs
  #skippedMs = 0
  readonly #pending = new Map<NodeJS.Timeout, { at: number; run: () => void }>()
  readonly timers: Timers = {
    ...shortWaits.timers,
    setTimeout: (run, ms) => {
      const once = () => {
        this.#pending.delete(timer)
        run()
      }
      const timer = timers.setTimeout(once, ms)
      this.#pending.set(timer, { at: this.monotonic() + ms, run: once })
      return timer
    },
    clear: (timer) => {
      timers.clear(timer)
      if (timer) this.#pending.delete(timer)
    },
  }

  /** `now`: the wall clock, which does not skip. */
  constructor(now = systemClock.now) {
    this.now = now
  }

  /** Runs the timers that are due after so many milliseconds, and one more: the time of a timer may be rounded up. */
  skip(ms: number): void {
    this.#skippedMs += ms + 1
    for (const [timer, { at, run }] of this.#pending) {
      if (at > this.monotonic()) continue
      timers.clear(timer)
      run()
    }
  }
}
