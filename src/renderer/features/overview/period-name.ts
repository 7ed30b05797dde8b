import type { Period, Unit } from '../../data/periods.ts'
import { formatDay, formatTime, shortenSeptember } from '../../kit/format.ts'

const day = findFormat({ day: 'numeric', month: 'short' })
const month = findFormat({ month: 'short' })
const monthAndYear = findFormat({ month: 'long', year: 'numeric' })
const shortMonthAndYear = findFormat({ month: 'short', year: 'numeric' })

function findFormat(options: Intl.DateTimeFormatOptions) {
  // A calendar day has no time zone.
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (date: string) => shortenSeptember(format.format(Date.parse(date)))
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
      return monthAndYear(group)
    default:
      return unit satisfies never
  }
}

/** Below the axis: "14:00" or "21 Nov" at midnight, "21 Nov", "Nov" or "Jan 2026". */
export function formatPeriodShort({ group }: Period, unit: Unit, zone: string): string {
  if (unit === 'hour') {
    const time = formatTime(group, zone)
    return time === '00:00' ? dayIn(group, zone) : time
  }
  if (unit !== 'month') return day(group)
  return group.slice(5, 7) === '01' ? shortMonthAndYear(group) : month(group)
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
  const hour = Number(formatTime(period.group, zone).slice(0, 2))
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
