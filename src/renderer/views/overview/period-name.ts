import type { Span } from '../../server-state/periods.ts'

const formats: Record<Span, { long: Intl.DateTimeFormat; short: Intl.DateTimeFormat }> = {
  day: formatPair({ day: 'numeric', month: 'short' }),
  week: formatPair({ day: 'numeric', month: 'short' }),
  month: formatPair({ month: 'long', year: 'numeric' }, { month: 'short' }),
}

function formatPair(long: Intl.DateTimeFormatOptions, short = long) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return { long: format(long), short: format(short) }
}

/** "21 Nov", "Week of 16 Nov", "November 2026". */
export function formatPeriod(day: string, span: Span): string {
  const name = formats[span].long.format(Date.parse(day))
  return span === 'week' ? `Week of ${name}` : name
}

/** "21 Nov", "16 Nov", "Nov". */
export function formatPeriodShort(day: string, span: Span): string {
  return formats[span].short.format(Date.parse(day))
}
