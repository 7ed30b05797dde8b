import type { Usage, UsageRow } from '../../shared/api/usage.ts'
import {
  type Span as Bounds,
  dayName,
  daySpan,
  dayStart,
  hourSpan,
  monthSpan,
  weekSpan,
} from '../../shared/values/calendar.ts'
import type { DateRange } from './date-range.ts'

/** The units in which a range can be divided, shortest first. */
const UNITS = ['hour', 'day', 'week', 'month'] as const
export type Unit = (typeof UNITS)[number]

export interface Period {
  /** The gateway's name of the period: the moment at which an hour begins, otherwise its first calendar day, YYYY-MM-DD. */
  group: string
  /** The part of it that is in the range; the end is exclusive. */
  startMs: number
  endMs: number
}

const boundsOf: Record<Unit, (instant: number, zone: string) => Bounds> = {
  hour: hourSpan,
  day: daySpan,
  week: weekSpan,
  month: monthSpan,
}

/** The periods of a range in a time zone, oldest first. The first and the last one can be shorter. */
export function periodsIn(range: Bounds, unit: Unit, zone: string): Period[] {
  const periods: Period[] = []
  let within = range.start
  while (within < range.end) {
    const { start, end } = boundsOf[unit](within, zone)
    const group = unit === 'hour' ? new Date(start).toISOString() : dayName(start, zone)
    periods.push({ group, startMs: Math.max(start, range.start), endMs: Math.min(end, range.end) })
    within = end
  }
  return periods
}

const DAY_MS = 86_400_000
/** The longest range, in days, for which a unit is chosen, and for which it can be chosen by hand. */
const longest: Record<Unit, { chosen: number; possible: number }> = {
  hour: { chosen: 2, possible: 14 },
  day: { chosen: 62, possible: 400 },
  week: { chosen: 200, possible: 3_000 },
  month: { chosen: Number.POSITIVE_INFINITY, possible: Number.POSITIVE_INFINITY },
}
/** The shortest range, in days, that has more than one of them. */
const shortest: Record<Unit, number> = { hour: 0, day: 1, week: 7, month: 31 }

/** The units that divide a range into a readable number of periods. */
export function possibleUnits(range: Bounds): Unit[] {
  const days = countDays(range)
  return UNITS.filter((unit) => days <= longest[unit].possible && days > shortest[unit])
}

export function chooseUnit(range: Bounds): Unit {
  const days = countDays(range)
  return UNITS.find((unit) => days <= longest[unit].chosen) ?? 'month'
}

/** A day when the clocks change has an hour more or less. */
function countDays({ start, end }: Bounds): number {
  return Math.round(((end - start) / DAY_MS) * 10) / 10
}

/** The range of time from the first to the last period: days, if they consist of days. */
export function toRange(
  first: Pick<Period, 'startMs'>,
  last: Pick<Period, 'endMs'>,
  zone: string,
): DateRange {
  const firstDay = dayName(first.startMs, zone)
  const lastDay = dayName(last.endMs - 1, zone)
  const isWhole =
    dayStart(firstDay, zone) === first.startMs && daySpan(last.endMs - 1, zone).end === last.endMs
  return isWhole ? { firstDay, lastDay } : { startMs: first.startMs, endMs: last.endMs }
}

export interface PeriodUsage extends Period {
  /** One for each key, model, provider or client of the split that was used in the period. */
  rows: UsageRow[]
}

/** Without percentiles, which cannot be added up. */
export type UsageSums = Omit<Usage['total'], 'latencyP50Ms' | 'latencyP95Ms' | 'firstByteP50Ms'>

export const noUsage: UsageSums = {
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: 0,
  worthUsd: 0,
  savedUsd: 0,
  errors: 0,
  unpriced: 0,
}

/** The rows of a response with `splitBy`, by period. Each period is listed, empty or not; rows of others are left out. */
export function groupByPeriod(rows: readonly UsageRow[], periods: readonly Period[]): PeriodUsage[] {
  const parts = new Map(periods.map(({ group }) => [group, [] as UsageRow[]]))
  for (const { group, label, split = group, splitLabel = label, ...sums } of rows) {
    parts.get(group)?.push({ group: split, label: splitLabel, ...sums })
  }
  return periods.map((period) => ({ ...period, rows: parts.get(period.group) ?? [] }))
}

/** One row for each part of the split over all periods, the most expensive first. */
export function rankByCost(periods: readonly PeriodUsage[]): UsageRow[] {
  const parts = new Map<string, UsageRow>()
  for (const row of periods.flatMap(({ rows }) => rows)) {
    const before = parts.get(row.group)
    parts.set(row.group, before ? { ...before, ...addSums(before, row) } : row)
  }
  return [...parts.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}

export function sumUsage(periods: readonly PeriodUsage[]): UsageSums {
  return periods.flatMap(({ rows }) => rows).reduce<UsageSums>(addSums, noUsage)
}

export function addSums(a: UsageSums, b: UsageSums): UsageSums {
  return {
    requests: a.requests + b.requests,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    tokensCached: a.tokensCached + b.tokensCached,
    costUsd: a.costUsd + b.costUsd,
    worthUsd: a.worthUsd + b.worthUsd,
    savedUsd: a.savedUsd + b.savedUsd,
    errors: a.errors + b.errors,
    unpriced: a.unpriced + b.unpriced,
  }
}
