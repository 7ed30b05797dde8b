import { type Span as Bounds, dayName, daySpan, monthSpan, weekSpan } from '../../shared/calendar.ts'

const SPANS = ['day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

export interface Period {
  /** Its first calendar day, YYYY-MM-DD, by which the gateway groups. */
  day: string
  /** When it begins, in ISO 8601. */
  from: string
}

export const PERIOD_COUNTS: Record<Span, number> = { day: 30, week: 12, month: 12 }
const boundsOf: Record<Span, (instant: number, zone: string) => Bounds> = {
  day: daySpan,
  week: weekSpan,
  month: monthSpan,
}

/** The last `PERIOD_COUNTS[span]` periods in a time zone, oldest first, ending with that of `nowMs`. */
export function lastPeriods(span: Span, nowMs: number, timeZone: string): Period[] {
  const periods: Period[] = []
  let within = nowMs
  while (periods.length < PERIOD_COUNTS[span]) {
    const { start } = boundsOf[span](within, timeZone)
    periods.unshift({ day: dayName(start, timeZone), from: new Date(start).toISOString() })
    within = start - 1
  }
  return periods
}
