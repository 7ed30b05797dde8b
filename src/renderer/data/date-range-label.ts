// The name of a range.
import { dayName } from '../../shared/values/calendar.ts'
import { getDateFormat } from '../../shared/values/locale.ts'
import { formatDay, formatTime, getDay, shortenSeptember } from '../kit/format.ts'
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
  if (firstDay.endsWith('-01') && lastDay === lastOfMonth(firstDay)) {
    return getDateFormat({ month: 'long', year: 'numeric' }, 'UTC').format(Date.parse(firstDay))
  }
  const isThisYear = [firstDay, lastDay].every((day) => day.startsWith(getDay(nowMs, 'UTC').slice(0, 4)))
  const year = isThisYear ? undefined : 'numeric'
  const dates = getDateFormat({ day: 'numeric', month: 'short', year }, 'UTC').formatRange(
    Date.parse(firstDay),
    Date.parse(lastDay),
  )
  // The locale's own spaces are thin.
  return shortenSeptember(dates.replace(/\b(\d\d?)\s–\s(\d\d?)\b/, '$1–$2').replace(/\s–\s/, ' – '))
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
