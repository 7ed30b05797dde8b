// The range of time that a view shows. It is part of the view's address.

import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { dayName, dayStart, hourSpan, type Span } from '../../shared/values/calendar.ts'
import { getDateFormat } from '../../shared/values/locale.ts'
import { formatDay, formatTime, getDay, shortenSeptember } from '../kit/format.ts'

/** Ranges that end now, or are counted from today. */
export const PRESETS = [
  { preset: 'today', label: 'Today' },
  { preset: 'yesterday', label: 'Yesterday' },
  { preset: '24h', label: 'Last 24 hours' },
  { preset: '7d', label: 'Last 7 days' },
  { preset: '30d', label: 'Last 30 days' },
  { preset: '90d', label: 'Last 90 days' },
  { preset: 'month', label: 'This month' },
  { preset: 'last-month', label: 'Last month' },
  { preset: '12m', label: 'Last 12 months' },
] as const

type Preset = (typeof PRESETS)[number]['preset']

export interface PresetRange {
  preset: Preset
}

/** Calendar days (YYYY-MM-DD), both included. */
export interface DayRange {
  firstDay: string
  lastDay: string
}

/** Moments in milliseconds since the epoch, the end excluded. */
interface TimeRange {
  startMs: number
  endMs: number
}

export type DateRange = PresetRange | DayRange | TimeRange

export const LAST_7_DAYS: PresetRange = { preset: '7d' }
export const LAST_30_DAYS: PresetRange = { preset: '30d' }
export const LAST_12_MONTHS: PresetRange = { preset: '12m' }

const HOUR_MS = 3_600_000

/** The range of an address: `?range=7d`, `?from=2026-11-01&to=2026-11-07`, or with moments in ISO 8601. Null for none. */
export function rangeFromSearch(search: string | URLSearchParams): DateRange | null {
  const params = new URLSearchParams(search)
  const named = PRESETS.find(({ preset }) => preset === params.get('range'))
  if (named) return { preset: named.preset }
  const from = params.get('from') ?? ''
  const to = params.get('to') ?? ''
  if (isDay(from) && isDay(to)) return from <= to ? { firstDay: from, lastDay: to } : null
  const range = { startMs: Date.parse(from), endMs: Date.parse(to) }
  return range.startMs < range.endMs ? range : null
}

/** The parameters of the address that stand for a range. */
export function rangeToQuery(range: DateRange | null): { range?: string; from?: string; to?: string } {
  if (range === null) return {}
  if ('preset' in range) return { range: range.preset }
  if ('firstDay' in range) return { from: range.firstDay, to: range.lastDay }
  return { from: new Date(range.startMs).toISOString(), to: new Date(range.endMs).toISOString() }
}

/** The first and the last moment of a range in the account's time zone. The end of a range that contains now is in the future. */
export function resolveRange(range: DateRange, nowMs: number, zone: string): Span {
  if ('startMs' in range) return { start: range.startMs, end: range.endMs }
  if ('preset' in range && range.preset === '24h') {
    // The present hour and the 23 before it.
    const { end } = hourSpan(nowMs, zone)
    return { start: end - 24 * HOUR_MS, end }
  }
  const { firstDay, lastDay } = toDays(range, nowMs, zone)
  return { start: dayStart(firstDay, zone), end: dayStart(addDays(lastDay, 1), zone) }
}

/** The calendar days that a range touches. */
export function toDays(range: DateRange, nowMs: number, zone: string): DayRange {
  if ('firstDay' in range) return range
  if ('startMs' in range) {
    return { firstDay: dayName(range.startMs, zone), lastDay: dayName(range.endMs - 1, zone) }
  }
  const today = dayName(nowMs, zone)
  const monthBegin = `${today.slice(0, 7)}-01`
  switch (range.preset) {
    case '24h':
      return toDays(toTimes(range, nowMs, zone), nowMs, zone)
    case 'today':
      return { firstDay: today, lastDay: today }
    case 'yesterday':
      return { firstDay: addDays(today, -1), lastDay: addDays(today, -1) }
    case '7d':
      return { firstDay: addDays(today, -6), lastDay: today }
    case '30d':
      return { firstDay: addDays(today, -29), lastDay: today }
    case '90d':
      return { firstDay: addDays(today, -89), lastDay: today }
    case 'month':
      return { firstDay: monthBegin, lastDay: today }
    case 'last-month':
      return { firstDay: addMonths(monthBegin, -1), lastDay: addDays(monthBegin, -1) }
    case '12m':
      return { firstDay: addMonths(monthBegin, -11), lastDay: today }
    default:
      return range.preset satisfies never
  }
}

function toTimes(range: PresetRange, nowMs: number, zone: string): TimeRange {
  const { start, end } = resolveRange(range, nowMs, zone)
  return { startMs: start, endMs: end }
}

/**
 * The range of the same length before (-1) or after (1): whole months move by months. Null where it would be in the
 * future.
 */
export function stepRange(range: DateRange, by: -1 | 1, nowMs: number, zone: string): DateRange | null {
  const next = moveRange(range, by, nowMs, zone)
  if (resolveRange(next, nowMs, zone).start > nowMs) return null
  return toPreset(next, nowMs, zone)
}

function moveRange(range: DateRange, by: -1 | 1, nowMs: number, zone: string): DayRange | TimeRange {
  if ('startMs' in range || ('preset' in range && range.preset === '24h')) {
    const { start, end } = resolveRange(range, nowMs, zone)
    return { startMs: start + by * (end - start), endMs: end + by * (end - start) }
  }
  const { firstDay, lastDay } = toDays(range, nowMs, zone)
  const months = countMonths(range, { firstDay, lastDay })
  if (months !== null) {
    const first = addMonths(firstDay, by * months)
    return { firstDay: first, lastDay: lastOfMonth(addMonths(first, months - 1)) }
  }
  const days = countDays(firstDay, lastDay) * by
  return { firstDay: addDays(firstDay, days), lastDay: addDays(lastDay, days) }
}

/** How many months a range consists of; null if it does not consist of months. */
function countMonths(range: DateRange, { firstDay, lastDay }: DayRange): number | null {
  const untilToday = 'preset' in range && (range.preset === 'month' || range.preset === '12m')
  if (!firstDay.endsWith('-01') || !(untilToday || lastDay === lastOfMonth(lastDay))) return null
  const index = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
  return index(lastDay) - index(firstDay) + 1
}

/** The preset that a range equals now, or the range. A month that has not ended is the present one. */
function toPreset(range: DayRange | TimeRange, nowMs: number, zone: string): DateRange {
  const today = dayName(nowMs, zone)
  const isSame = ({ preset }: PresetRange) => {
    if ('startMs' in range) {
      const { start, end } = resolveRange({ preset }, nowMs, zone)
      return preset === '24h' && start === range.startMs && end === range.endMs
    }
    if (preset === '24h') return false
    const { firstDay, lastDay } = toDays({ preset }, nowMs, zone)
    const lastShown = range.lastDay > today ? today : range.lastDay
    return firstDay === range.firstDay && lastDay === lastShown
  }
  const same = PRESETS.find(isSame)
  return same ? { preset: same.preset } : range
}

/** The range of the address, `fallback` where it names none. Other parameters of the address stay when it is changed. */
export function useDateRange(fallback: DateRange): [DateRange, (range: DateRange) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const text = new URLSearchParams(rangeToQuery(rangeFromSearch(search))).toString()
  const range = useMemo(() => rangeFromSearch(text) ?? fallback, [text, fallback])
  const change = useCallback(
    (next: DateRange) => {
      const params = new URLSearchParams(search)
      for (const name of ['range', 'from', 'to']) params.delete(name)
      for (const [name, value] of Object.entries(rangeToQuery(next))) params.set(name, value)
      navigate(`${path}?${params}`, { replace: true })
    },
    [search, path, navigate],
  )
  return [range, change]
}

// The name of a range.

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
