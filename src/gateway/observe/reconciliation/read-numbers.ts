import { dayName, dayStart } from '../../../shared/values/calendar.ts'
import { getOrCreate } from '../../platform/maps.ts'

// Numbers as programs and spreadsheets of different countries write them.

/** 10⁻¹⁵ USD: costs are added exactly, however many decimals an export has. */
export const FEMTO_PER_NANO = 1_000_000n
const FEMTO_PLACES = 15
const CENT_PLACES = 2
const MAX_LENGTH = 60
/** `$1,234.50`, `1.234,50`, `0,0123`, `1e-05`, `-3`, `12 USD`. */
const NUMBER = /^(-)?\s*(?:US\$|\$)?\s*(-)?((?:\d|[.,\s\u00a0'’])+)(?:e([+-]?\d{1,2}))?\s*(?:USD)?$/i

export type DecimalMark = '.' | ','

export interface Amount {
  femto: bigint
  /** Half of what its last digit stands for, at most half a cent. */
  error: bigint
}

/** The mark that the numbers of a column have; null if some have one and some the other. */
export function findDecimalMark(cells: Iterable<string>): DecimalMark | null {
  const found = new Set<DecimalMark>()
  for (const cell of cells) {
    const mark = findMark(cell)
    if (mark) found.add(mark)
  }
  if (found.size > 1) return null
  return [...found][0] ?? '.'
}

/** The decimal mark that a number shows; undefined where it could also separate thousands. */
function findMark(cell: string): DecimalMark | undefined {
  const point = cell.lastIndexOf('.')
  const comma = cell.lastIndexOf(',')
  if (point < 0 && comma < 0) return undefined
  if (point >= 0 && comma >= 0) return point > comma ? '.' : ','
  const mark = point >= 0 ? '.' : ','
  const thousands = point >= 0 ? /^\D*[1-9]\d{0,2}(\.\d{3})+\D*$/ : /^\D*[1-9]\d{0,2}(,\d{3})+\D*$/
  return thousands.test(cell) ? undefined : mark
}

/** Null for what is no number. */
export function readAmount(text: string, mark: DecimalMark): Amount | null {
  const parts = readDigits(text, mark)
  if (!parts) return null
  const { negative, whole, decimals, exponent } = parts
  const places = decimals.length - exponent
  const digits = BigInt(whole + decimals)
  const shift = FEMTO_PLACES - places
  if (shift < -40 || shift > 40) return null
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  const errorPlaces = Math.max(places, CENT_PLACES)
  const error = errorPlaces > FEMTO_PLACES ? 0n : 10n ** BigInt(FEMTO_PLACES - errorPlaces) / 2n
  return { femto: negative ? -size : size, error }
}

/** A count of tokens or requests. Some exports write them with a decimal zero. Null for what is none. */
export function readCount(text: string, mark: DecimalMark): number | null {
  const amount = readAmount(text, mark)
  if (!amount || amount.femto < 0n) return null
  const unit = 10n ** BigInt(FEMTO_PLACES)
  const count = amount.femto / unit
  return amount.femto % unit === 0n && count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : null
}

function readDigits(text: string, mark: DecimalMark) {
  // The pattern would take too long on a long text.
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text)
  if (!match) return null
  const [, sign, innerSign, body = '', exponent = '0'] = match
  const plain = body.replace(/[\s\u00a0'’]/g, '')
  const other = mark === '.' ? ',' : '.'
  const [whole = '', decimals = '', ...more] = plain.split(mark)
  const isGrouped = whole.includes(other) ? isThousands(whole, other) : /^\d*$/.test(whole)
  if (more.length > 0 || !isGrouped || !/^\d*$/.test(decimals) || whole + decimals === '') return null
  return {
    negative: sign !== undefined || innerSign !== undefined,
    whole: whole.replaceAll(other, ''),
    decimals,
    exponent: Number(exponent),
  }
}

function isThousands(text: string, separator: string): boolean {
  const [first = '', ...groups] = text.split(separator)
  return /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group))
}

// Dates and times as exports and spreadsheets write them.

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
  if (compact) return findMoment({ date: compact.slice(1).map(Number), time: null, offset: undefined }, zone)
  const iso = ISO.exec(text)
  if (iso) {
    const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = iso
    const time =
      hour === undefined ? null : [Number(hour), Number(minute), Number(`${second}.${fraction || 0}`)]
    return findMoment({ date: [Number(year), Number(month), Number(day)], time, offset }, zone)
  }
  const local = LOCAL.exec(text)
  if (!local || order === null) return null
  const [, first, , second, year, hour, minute, seconds = '0', half] = local
  const [day, month] = order === 'day-first' ? [first, second] : [second, first]
  const time = hour === undefined ? null : [toHour(Number(hour), half), Number(minute), Number(seconds)]
  return findMoment({ date: [Number(year), Number(month), Number(day)], time, offset: undefined }, zone)
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

function findMoment({ date, time, offset }: Parts, zone: string): Moment | null {
  const [year = 0, month = 0, day = 0] = date
  const [hour = 0, minute = 0, second = 0] = time ?? []
  const utc = Date.UTC(year, month - 1, day)
  const isReal =
    new Date(utc).getUTCDate() === day && month >= 1 && month <= 12 && year >= 2015 && year < 2200
  if (!isReal || hour > 23 || minute > 59 || second >= 61) return null
  const sinceMidnight = ((hour * 60 + minute) * 60 + second) * 1000
  if (offset !== undefined) return { at: Math.round(utc + sinceMidnight - offsetMs(offset)), isDay: false }
  const name = new Date(utc).toISOString().slice(0, 10)
  return { at: Math.round(findStart(name, zone) + sinceMidnight), isDay: time === null }
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

/** Finds the start of a day as `dayStart` does, which takes long, once for each day. */
function findStart(day: string, zone: string): number {
  return getOrCreate(starts, `${day} ${zone}`, () => dayStart(day, zone))
}

/** No zone changes its day within a quarter of an hour. */
const SLOT_MS = 15 * 60_000

/** The days of moments (milliseconds since 1970) in a time zone, each quarter of an hour looked up once. */
export function createDayNames(timeZone: string): (at: number) => string {
  const days = new Map<number, string>()
  return (at) => getOrCreate(days, Math.floor(at / SLOT_MS), () => dayName(at, timeZone))
}
