// Owns cutting time into the user's own days, weeks and months. Pure; knows nothing of what is summed up in them.
import { dayOf } from '../format.ts'

export const SPANS = ['day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

export interface Period {
  /** Its first calendar day, YYYY-MM-DD. */
  day: string
  /** ISO 8601 moments: from the first day's midnight up to, not including, the next period's. */
  from: string
  to: string
}

const SHOWN: Record<Span, number> = { day: 30, week: 12, month: 12 }
const DAY_MS = 86_400_000

/** The last 30 days, 12 weeks (from Monday) or 12 months in a time zone, oldest first, ending with that of `nowMs`. */
export function lastPeriods(span: Span, nowMs: number, timeZone: string): Period[] {
  const today = dayOf(nowMs, timeZone)
  const starts = Array.from({ length: SHOWN[span] + 1 }, (_, index) =>
    firstDay(span, today, index - SHOWN[span] + 1),
  )
  return starts.slice(0, -1).map((day, index) => ({
    day,
    from: new Date(startOfDay(day, timeZone)).toISOString(),
    to: new Date(startOfDay(starts[index + 1] ?? day, timeZone)).toISOString(),
  }))
}

/** The first day of the period `steps` after the one that holds `today`. */
function firstDay(span: Span, today: string, steps: number): string {
  const date = new Date(`${today}T00:00:00Z`)
  if (span === 'month') {
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + steps, 1)).toISOString().slice(0, 10)
  }
  const sinceMonday = (date.getUTCDay() + 6) % 7
  const days = span === 'week' ? steps * 7 - sinceMonday : steps
  return new Date(date.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/** The moment (epoch milliseconds) at which a calendar day begins in a time zone. */
export function startOfDay(day: string, timeZone: string): number {
  const asUtc = Date.parse(`${day}T00:00:00Z`)
  // The offset near the day's start may differ from that at the first guess, when clocks change in between.
  const guess = asUtc - offsetMs(asUtc, timeZone)
  return asUtc - offsetMs(guess, timeZone)
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((one) => one.type === type)?.value ?? 0)
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shown - Math.floor(ms / 1000) * 1000
}

/** The zone of this computer, until the gateway has said which one counts. */
export function systemTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
