// Owns which of the user's own days, weeks or months are shown. Pure; knows nothing of what is summed up in them.
import { type Span as Bounds, dayName, dayOf, monthOf, weekOf } from '../../shared/calendar.ts'

const SPANS = ['day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

export interface Period {
  /** Its first calendar day, YYYY-MM-DD: the name that the gateway gives to its sums. */
  day: string
  /** The ISO 8601 moment at which it begins. */
  from: string
}

export const SHOWN: Record<Span, number> = { day: 30, week: 12, month: 12 }
const boundsOf: Record<Span, (instant: number, zone: string) => Bounds> = {
  day: dayOf,
  week: weekOf,
  month: monthOf,
}

/** The last periods of a kind in a time zone, as many as `SHOWN` says, oldest first, ending with that of `nowMs`. */
export function lastPeriods(span: Span, nowMs: number, timeZone: string): Period[] {
  const periods: Period[] = []
  let within = nowMs
  while (periods.length < SHOWN[span]) {
    const { start } = boundsOf[span](within, timeZone)
    periods.unshift({ day: dayName(start, timeZone), from: new Date(start).toISOString() })
    within = start - 1
  }
  return periods
}
