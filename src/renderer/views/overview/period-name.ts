// Owns what a period is called, by its first calendar day. Pure.
import type { Span } from '../../server-state/periods.ts'

const parts: Record<Span, { long: Intl.DateTimeFormat; short: Intl.DateTimeFormat }> = {
  day: both({ day: 'numeric', month: 'short' }),
  week: both({ day: 'numeric', month: 'short' }),
  month: both({ month: 'long', year: 'numeric' }, { month: 'short' }),
}

function both(long: Intl.DateTimeFormatOptions, short = long) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return { long: format(long), short: format(short) }
}

/** "21 Nov", "Week of 16 Nov", "November 2026". */
export function periodName(day: string, span: Span): string {
  const name = parts[span].long.format(Date.parse(day))
  return span === 'week' ? `Week of ${name}` : name
}

/** "21 Nov", "16 Nov", "Nov". */
export function shortPeriodName(day: string, span: Span): string {
  return parts[span].short.format(Date.parse(day))
}
