// Ranges of time as people type them.
import { dayName } from '../../../shared/values/calendar.ts'
import { addDays, addMonths, lastOfMonth, normalizeTyped, parseTypedDay } from '../../data/calendar-days.ts'
import { type DateRange, type DayRange, PRESETS } from '../../data/date-range.ts'

const HOUR_MS = 3_600_000
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/**
 * `3 h`, `90 min`, `2 weeks`, `since Monday`, `since 3 Nov`, `last week`, `October`, `1 Nov to 7 Nov`, a day, or the name of a
 * preset. Null for anything else, and for a range that has not begun.
 */
export function parseTypedRange(text: string, nowMs: number, zone: string): DateRange | null {
  const typed = normalizeTyped(text)
  const today = dayName(nowMs, zone)
  const named = PRESETS.find(({ label }) => normalizeTyped(label) === typed)
  if (named) return { preset: named.preset }
  const days =
    parseWeek(typed, today) ??
    parseLength(typed, today) ??
    parseSince(typed, today) ??
    parseDays(typed, today)
  if (days) return days.firstDay > today || days.firstDay > days.lastDay ? null : days
  const hours = /^(?:last )?(\d{1,4}) ?(m|min|minutes?|h|hours?)$/.exec(typed)
  if (!hours || Number(hours[1]) === 0) return null
  const unitMs = hours[2]?.startsWith('h') ? HOUR_MS : HOUR_MS / 60
  return { startMs: nowMs - Number(hours[1]) * unitMs, endMs: nowMs }
}

/** Weeks begin on Monday. */
function parseWeek(typed: string, today: string): DayRange | null {
  const monday = addDays(today, -((getWeekday(today) + 6) % 7))
  if (typed === 'this week') return { firstDay: monday, lastDay: today }
  if (typed === 'last week') return { firstDay: addDays(monday, -7), lastDay: addDays(monday, -1) }
  return null
}

/** Days, weeks and months that end today. */
function parseLength(typed: string, today: string): DayRange | null {
  const match = /^(?:last )?(\d{1,3}) ?(d|days?|w|weeks?|months?)$/.exec(typed)
  const count = Number(match?.[1] ?? 0)
  if (!match || count === 0) return null
  if (match[2]?.startsWith('m')) {
    return { firstDay: addMonths(`${today.slice(0, 7)}-01`, 1 - count), lastDay: today }
  }
  const days = match[2]?.startsWith('w') ? count * 7 : count
  return { firstDay: addDays(today, 1 - days), lastDay: today }
}

/** From a day, or the latest day of a weekday, until today. */
function parseSince(typed: string, today: string): DayRange | null {
  const from = /^since (.+)$/.exec(typed)?.[1]
  if (from === undefined) return null
  const weekday = /^[a-z]{3,9}$/.test(from) ? WEEKDAYS.indexOf(from.slice(0, 3)) : -1
  const back = (getWeekday(today) - weekday + 7) % 7
  const firstDay =
    weekday >= 0
      ? addDays(today, -back)
      : from === 'yesterday'
        ? addDays(today, -1)
        : parseTypedDay(from, today)
  return firstDay === null ? null : { firstDay, lastDay: today }
}

/** One day, a month by its name, or two days: `1 Nov to 7 Nov`, `1–7 Nov`, `Nov 1–7`. */
function parseDays(typed: string, today: string): DayRange | null {
  const day = parseTypedDay(typed, today)
  if (day !== null) return { firstDay: day, lastDay: day }
  const month = /^[a-z]{3,9}( \d{4})?$/.test(typed) ? parseTypedDay(`1 ${typed}`, today) : null
  if (month !== null) return { firstDay: month, lastDay: lastOfMonth(month) }
  const [first = '', last = '', more] = typed.split(/ to | ?– ?| - /)
  const ofMonth = /^\d{1,2}(, \d{4})?$/.test(last) ? `${first.split(' ')[0]} ${last}` : last
  const lastDay = more === undefined ? parseTypedDay(ofMonth, today) : null
  if (lastDay === null) return null
  const firstDay = parseTypedDay(
    /^\d{1,2}$/.test(first) ? `${first} ${last.replace(/^\S+ /, '')}` : first,
    lastDay,
  )
  return firstDay === null ? null : { firstDay, lastDay }
}

/** 0 for Sunday. */
function getWeekday(day: string): number {
  return new Date(day).getUTCDay()
}
