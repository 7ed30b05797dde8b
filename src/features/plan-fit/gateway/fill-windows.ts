// How use fills the windows of a plan.

import { dayName, monthSpan } from '../../../shared/values/calendar.ts'
import type { FitWindow, PlanLength } from '../api/plan-fit.ts'

export interface HourUse {
  /** When the hour begins, in epoch milliseconds. */
  at: number
  usd: number
}

type Allowance = Omit<FitWindow, 'peakUsd' | 'fullDays'>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const ENDS: Readonly<Record<PlanLength, (at: number) => number>> = {
  'five-hours': (at) => at + 5 * HOUR_MS,
  week: (at) => at + 7 * DAY_MS,
  month: (at) => monthSpan(at, 'UTC').end,
}

/** One window after another of the same length. */
class WindowMeter {
  readonly #allowance: Allowance
  readonly #fullDays = new Set<string>()
  #end = -Infinity
  #usedUsd = 0
  #askedUsd = 0
  #peakUsd = 0

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Returns what still fits into the window of this time, which opens if there is none. */
  open({ at, usd }: HourUse): number {
    if (at >= this.#end) {
      this.#end = ENDS[this.#allowance.length](at)
      this.#usedUsd = 0
      this.#askedUsd = 0
    }
    this.#askedUsd += usd
    this.#peakUsd = Math.max(this.#peakUsd, this.#askedUsd)
    return (this.#allowance.allowanceUsd ?? Infinity) - this.#usedUsd
  }

  use(usd: number): void {
    this.#usedUsd += usd
  }

  markFull(day: string): void {
    this.#fullDays.add(day)
  }

  finish(): FitWindow {
    return { ...this.#allowance, peakUsd: this.#peakUsd, fullDays: [...this.#fullDays] }
  }
}

/**
 * Fills the windows with use, in the order of time. `beyondUsd` is what did not fit: it fills no window. Days are those of the time zone.
 */
export function fillWindows(
  hours: readonly HourUse[],
  windows: readonly Allowance[],
  timeZone: string,
): { beyondUsd: number; windows: FitWindow[] } {
  const meters = windows.map((window) => new WindowMeter(window))
  let beyondUsd = 0
  for (const hour of hours) {
    const left = meters.map((meter) => meter.open(hour))
    const fits = Math.min(hour.usd, ...left)
    beyondUsd += hour.usd - fits
    for (const [index, meter] of meters.entries()) {
      meter.use(fits)
      if (fits < hour.usd && left[index] === fits) meter.markFull(dayName(hour.at, timeZone))
    }
  }
  return { beyondUsd, windows: meters.map((meter) => meter.finish()) }
}
