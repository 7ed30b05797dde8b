// The period before a range, with which its sums are compared.

import { useQuery } from '@tanstack/react-query'
import type { Span } from '../../shared/values/calendar.ts'
import { useNow } from '../kit/use-now.ts'
import { type DateRange, formatRangeDates, resolveRange, stepRange } from './date-range.ts'
import { useTimeZone } from './hooks.ts'
import { chooseUnit, type PeriodUsage, toRange, type Unit, type UsageSums } from './periods.ts'
import { pastUsageIn } from './usage.ts'

/** Sums of whole slots of this length are exact however old they are, and one more request is needed only when the next ends. */
const SLOT_MS = 15 * 60_000

const NO_SPAN: Span = { start: 0, end: 1 }

export interface PreviousPeriod {
  whole: Span
  /** Its first part, as long as the part of the range that has passed. */
  elapsed: Span
}

/** Null for a range that has not begun. A month is compared with the month before, whatever its length. */
export function findPrevious(range: DateRange, nowMs: number, zone: string): PreviousPeriod | null {
  const { start, end } = resolveRange(range, nowMs, zone)
  const before = stepRange(range, -1, nowMs, zone)
  if (before === null || start >= nowMs) return null
  const whole = resolveRange(before, nowMs, zone)
  if (end <= nowMs) return { whole, elapsed: whole }
  const passed = Math.floor((nowMs - start) / SLOT_MS) * SLOT_MS
  return { whole, elapsed: { start: whole.start, end: Math.min(whole.start + passed, whole.end) } }
}

/** The sums of each period of the range before, by the unit of the range. Undefined until they are read. */
export function usePreviousPeriods(range: DateRange, unit: Unit): readonly PeriodUsage[] | undefined {
  const timeZone = useTimeZone()
  const zone = timeZone ?? 'UTC'
  const span = findPrevious(range, useNow(), zone)?.whole
  const { data } = useQuery({
    ...pastUsageIn({ span: span ?? NO_SPAN, unit, zone }),
    enabled: span !== undefined && timeZone !== undefined,
  })
  return span && data?.periods
}

export interface ElapsedPeriod {
  span: Span
  /** Its dates. */
  name: string
}

/** The part of the period before that compares with what has passed of the range. Undefined if there is none. */
export function useElapsedBefore(range: DateRange): ElapsedPeriod | undefined {
  const zone = useTimeZone()
  const now = useNow()
  const span = zone === undefined ? undefined : findPrevious(range, now, zone)?.elapsed
  if (zone === undefined || span === undefined || span.start === span.end) return undefined
  const dates = toRange({ startMs: span.start }, { endMs: span.end }, zone)
  return { span, name: formatRangeDates(dates, now, zone) }
}

/** The sums of that period, and its dates. Undefined until they are read. */
export function usePreviousSums(range: DateRange): { sums: UsageSums; period: string } | undefined {
  const zone = useTimeZone() ?? 'UTC'
  const before = useElapsedBefore(range)
  const span = before?.span ?? NO_SPAN
  const { data } = useQuery({
    ...pastUsageIn({ span, unit: chooseUnit(span), zone }),
    enabled: before !== undefined,
  })
  return before && data && { sums: data.total, period: before.name }
}
