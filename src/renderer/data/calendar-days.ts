// Calendar days as YYYY-MM-DD, without a time zone.
const DAY_MS = 86_400_000

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && toDay(ms) === text
}

export function addDays(day: string, count: number): string {
  return toDay(Date.parse(day) + count * DAY_MS)
}

/** `day` must be the first of a month. */
export function addMonths(day: string, count: number): string {
  return toDay(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + count, 1))
}

export function lastOfMonth(day: string): string {
  return addDays(addMonths(day, 1), -1)
}

/** Both days included. */
export function countDays(firstDay: string, lastDay: string): number {
  return Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1
}

/** A typed day or range in lower case, with single spaces. */
export function normalizeTyped(text: string): string {
  return text.trim().toLowerCase().split(/\s+/).join(' ')
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * A day that a user typed: `2026-11-21`, `21 Nov 2026`, `Nov 21, 2026`, or one of them without a year for the latest one that is not after
 * `today`. Null if it is none of these, or does not exist.
 */
export function parseTypedDay(text: string, today: string): string | null {
  const typed = normalizeTyped(text)
  if (isDay(typed)) return typed
  const dayFirst = typed.replace(/^([a-z]{3}[a-z]*\.?) (\d{1,2})\b/, '$2 $1')
  const match = /^(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?(?:,?\s+(\d{4}))?$/.exec(dayFirst)
  const month = MONTHS.indexOf(match?.[2] ?? '')
  if (!match || month < 0) return null
  const within = (year: number) =>
    `${year}-${String(month + 1).padStart(2, '0')}-${(match[1] ?? '').padStart(2, '0')}`
  const year = Number(today.slice(0, 4))
  const day = match[3] ? within(Number(match[3])) : within(year) > today ? within(year - 1) : within(year)
  return isDay(day) ? day : null
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
