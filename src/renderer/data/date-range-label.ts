// The name of a range.
import { dayName } from '../../shared/values/calendar.ts'
import { formatDate, formatDay, formatTime } from '../kit/format.ts'
import { lastOfMonth } from './calendar-days.ts'
import { type DateRange, PRESETS, resolveRange, toDays } from './date-range.ts'

/** "Last 7 days", "1–7 Nov", "October 2026", "21 Nov, 14:00–15:00". */
export function formatRange(range: DateRange, nowMs: number, zone: string): string {
  const named = PRESETS.find(({ preset }) => 'preset' in range && preset === range.preset)
  return named?.label ?? formatRangeDates(range, nowMs, zone)
}

/** The days of a range, also of a named one; with the time of day if it does not consist of days. */
export function formatRangeDates(range: DateRange, nowMs: number, zone: string): string {
  if ('startMs' in range || ('preset' in range && range.preset === '24h')) {
    return formatMoments(range, nowMs, zone)
  }
  const { firstDay, lastDay } = toDays(range, nowMs, zone)
  const isMonth = firstDay.endsWith('-01') && lastDay === lastOfMonth(firstDay)
  return isMonth ? monthFormat.format(Date.parse(firstDay)) : joinDays(firstDay, lastDay, nowMs)
}

/** 21 Nov for a calendar day (YYYY-MM-DD) of this year, otherwise 21 Nov 2027. */
function formatCalendarDay(day: string, nowMs: number): string {
  return formatDay(day, nowMs, 'UTC')
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

function joinDays(firstDay: string, lastDay: string, nowMs: number): string {
  const last = formatCalendarDay(lastDay, nowMs)
  if (firstDay === lastDay) return last
  if (firstDay.slice(0, 7) === lastDay.slice(0, 7)) return `${Number(firstDay.slice(8))}–${last}`
  if (firstDay.slice(0, 4) === lastDay.slice(0, 4)) {
    // The year stands once, at the end.
    return `${formatCalendarDay(firstDay, Date.parse(firstDay))} – ${last}`
  }
  return `${formatDate(firstDay, 'UTC')} – ${formatDate(lastDay, 'UTC')}`
}

function formatMoments(range: DateRange, nowMs: number, zone: string): string {
  const { start, end } = resolveRange(range, nowMs, zone)
  const [from, to] = [start, end].map((ms) => new Date(ms).toISOString())
  if (from === undefined || to === undefined) return ''
  const day = (iso: string) => formatDay(iso, nowMs, zone)
  const time = (iso: string) => formatTime(iso, zone)
  return dayName(start, zone) === dayName(end - 1, zone)
    ? `${day(from)}, ${time(from)}–${time(to)}`
    : `${day(from)}, ${time(from)} – ${day(to)}, ${time(to)}`
}
