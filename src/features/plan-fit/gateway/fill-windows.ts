// How use fills the windows of a plan.

import { dayName } from '../../../shared/values/calendar.ts'
import type { FitWindow, PlanLength } from '../api/plan-fit.ts'

export interface HourUse {
  /** When the hour begins, in epoch milliseconds. */
  at: number
  usd: number
}

type Allowance = Omit<FitWindow, 'peakUsd' | 'fullDays'>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const LENGTHS: Readonly<Record<PlanLength, number>> = {
  'five-hours': 5 * HOUR_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

/** One window after another of the same length. */
class WindowMeter {
  readonly #allowance: Allowance
  readonly #fullDays = new Set<string>()
  readonly #until: number
  #end = -Infinity
  #allowedUsd = 0
  #usedUsd = 0
  #askedUsd = 0
  #peakUsd = 0

  constructor(allowance: Allowance, until: number) {
    this.#allowance = allowance
    this.#until = until
  }

  /** Returns what still fits into the window of this time, which opens if there is none. */
  open({ at, usd }: HourUse): number {
    if (at >= this.#end) {
      const { length, allowanceUsd } = this.#allowance
      this.#end = at + LENGTHS[length]
      const part = length === 'month' ? Math.min(1, (this.#until - at) / LENGTHS.month) : 1
      this.#allowedUsd = (allowanceUsd ?? Infinity) * part
      this.#usedUsd = 0
      this.#askedUsd = 0
    }
    this.#askedUsd += usd
    this.#peakUsd = Math.max(this.#peakUsd, this.#askedUsd)
    return this.#allowedUsd - this.#usedUsd
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

interface Filling {
  /** That of the days on which windows are full. */
  timeZone: string
  /** Of a month that ends later, the part until then is allowed: else a time of a few days would have the credits of a month. */
  until?: number
}

/** Fills the windows with use, in the order of time. `beyondUsd` is what did not fit: it fills no window. */
export function fillWindows(
  hours: readonly HourUse[],
  windows: readonly Allowance[],
  { timeZone, until = Infinity }: Filling,
): { beyondUsd: number; windows: FitWindow[] } {
  const meters = windows.map((window) => new WindowMeter(window, until))
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
