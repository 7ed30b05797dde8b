import { getHour } from '../../../shared/values/calendar.ts'
import { getDateFormat } from '../../../shared/values/locale.ts'
import type { Period, Unit } from '../../data/periods.ts'
import { formatDay, formatTime, shortenSeptember } from '../../kit/format.ts'

/** A calendar day has no time zone. */
function format(day: string, parts: Intl.DateTimeFormatOptions): string {
  return shortenSeptember(getDateFormat(parts, 'UTC').format(Date.parse(day)))
}

/** "21 Nov, 14:00–15:00", "21 Nov", "Week of 16 Nov", "November 2026". */
export function formatPeriod({ group, endMs }: Period, unit: Unit, zone: string): string {
  switch (unit) {
    case 'hour':
      return `${dayIn(group, zone)}, ${formatTime(group, zone)}–${formatTime(new Date(endMs).toISOString(), zone)}`
    case 'day':
      return ofThisYear(group)
    case 'week':
      return `Week of ${ofThisYear(group)}`
    case 'month':
      return format(group, { month: 'long', year: 'numeric' })
    default:
      return unit satisfies never
  }
}

/** Below the axis: "14:00" or "21 Nov" at midnight, "21 Nov", "Nov" or "Jan 2026". */
export function formatPeriodShort({ group }: Period, unit: Unit, zone: string): string {
  if (unit === 'hour')
    return getHour(Date.parse(group), zone) === 0 ? dayIn(group, zone) : formatTime(group, zone)
  if (unit !== 'month') return format(group, { day: 'numeric', month: 'short' })
  return format(group, { month: 'short', ...(group.slice(5, 7) === '01' && { year: 'numeric' }) })
}

/** How many hours there can be between two labels, so that midnight always has one. */
const HOURS = [1, 2, 3, 6, 12, 24]

/** Which periods have a label below the axis, with `step` periods from one to the next at least. */
export function isLabeled(
  periods: readonly Period[],
  index: number,
  step: number,
  unit: Unit,
  zone: string,
): boolean {
  const period = periods[index]
  if (unit !== 'hour' || !period) return (periods.length - 1 - index) % step === 0
  const hours = HOURS.find((count) => count >= step) ?? Math.ceil(step / 24) * 24
  const hour = getHour(Date.parse(period.group), zone)
  if (hours <= 24) return hour % hours === 0
  return hour === 0 && Math.floor(index / 24) % (hours / 24) === 0
}

function dayIn(iso: string, zone: string): string {
  return formatDay(iso, Date.parse(iso), zone)
}

/** Names the day, with the year if it is another one. */
function ofThisYear(day: string): string {
  return formatDay(day, Date.now(), 'UTC')
}
