// Dates and times as exports and spreadsheets write them.
import { dayStart } from '../../../shared/calendar.ts'

/** The order of day and month in dates such as 03/04/2026. */
export type DateOrder = 'day-first' | 'month-first'

export interface Moment {
  at: number
  /** Whether the text has only a day. */
  isDay: boolean
}

const ISO =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[T\s](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i
const LOCAL = /^(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?:,?\s+(\d\d?):(\d\d)(?::(\d\d))?\s*([AP]M)?)?$/i
const SECONDS = /^\d{9,10}(\.\d+)?$/
const MILLISECONDS = /^\d{13}$/
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/

/** The order of the dates of a column. Null if they cannot tell: all days are at most the 12th. */
export function findDateOrder(cells: Iterable<string>): DateOrder | null {
  let order: DateOrder | null = null
  for (const cell of cells) {
    const [, first, separator, second] = LOCAL.exec(cell) ?? []
    if (first === undefined) continue
    // Only countries that put the day first write points.
    if (separator === '.' || Number(first) > 12) order = 'day-first'
    else if (Number(second) > 12) order = 'month-first'
    if (order) return order
  }
  return null
}

/** Null for what is no date, and for a date whose order is not known. */
export function readMoment(text: string, zone: string, order: DateOrder | null): Moment | null {
  if (SECONDS.test(text)) return { at: Math.round(Number(text) * 1000), isDay: false }
  if (MILLISECONDS.test(text)) return { at: Number(text), isDay: false }
  const compact = COMPACT.exec(text)
  if (compact) return momentOf({ date: compact.slice(1).map(Number), time: null, offset: undefined }, zone)
  const iso = ISO.exec(text)
  if (iso) {
    const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = iso
    const time =
      hour === undefined ? null : [Number(hour), Number(minute), Number(`${second}.${fraction || 0}`)]
    return momentOf({ date: [Number(year), Number(month), Number(day)], time, offset }, zone)
  }
  const local = LOCAL.exec(text)
  if (!local || order === null) return null
  const [, first, , second, year, hour, minute, seconds = '0', half] = local
  const [day, month] = order === 'day-first' ? [first, second] : [second, first]
  const time = hour === undefined ? null : [toHour(Number(hour), half), Number(minute), Number(seconds)]
  return momentOf({ date: [Number(year), Number(month), Number(day)], time, offset: undefined }, zone)
}

/** Whether a text is a date that can be read in two ways. */
export function isAmbiguousDate(text: string): boolean {
  return LOCAL.test(text)
}

interface Parts {
  date: readonly number[]
  time: readonly number[] | null
  offset: string | undefined
}

function momentOf({ date, time, offset }: Parts, zone: string): Moment | null {
  const [year = 0, month = 0, day = 0] = date
  const [hour = 0, minute = 0, second = 0] = time ?? []
  const utc = Date.UTC(year, month - 1, day)
  const isReal =
    new Date(utc).getUTCDate() === day && month >= 1 && month <= 12 && year >= 2015 && year < 2200
  if (!isReal || hour > 23 || minute > 59 || second >= 61) return null
  const sinceMidnight = ((hour * 60 + minute) * 60 + second) * 1000
  if (offset !== undefined) return { at: Math.round(utc + sinceMidnight - offsetMs(offset)), isDay: false }
  const name = new Date(utc).toISOString().slice(0, 10)
  return { at: Math.round(startOf(name, zone) + sinceMidnight), isDay: time === null }
}

function toHour(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
}

function offsetMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

const starts = new Map<string, number>()

/** As `dayStart`, which takes long, once for each day. */
function startOf(day: string, zone: string): number {
  const name = `${day} ${zone}`
  let start = starts.get(name)
  if (start === undefined) {
    start = dayStart(day, zone)
    starts.set(name, start)
  }
  return start
}
