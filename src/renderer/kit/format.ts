import {
  chooseUsdDecimals,
  exactUsdDecimals,
  formatOver,
  formatUsd,
  NANO_DECIMALS,
} from '../../shared/money/format-usd.ts'
import { dayName, systemTimeZone } from '../../shared/values/calendar.ts'
import { getDateFormat, localizeNumber } from '../../shared/values/locale.ts'

export { chooseUsdDecimals, formatOver, formatUsd }

/** Writes the ticks of an axis with the same number of decimals, and without cents if they are whole dollars: $0, $250, $12k. */
export function createUsdTickFormat(ticks: readonly number[]): (usd: number) => string {
  if (ticks.every(Number.isInteger)) return (usd) => `$${formatCount(usd, true)}`
  const decimals = exactUsdDecimals(ticks)
  return (usd) => (usd === 0 ? '$0' : formatUsd(usd, decimals))
}

/** USD to the last nano-dollar, for tooltips and receipts. */
export function formatUsdExact(usd: number): string {
  return withSign(usd, group(Math.abs(usd), 2, NANO_DECIMALS))
}

/** A price for a number of units: $2.50, $0.075. */
export function formatRate(usd: number): string {
  return withSign(usd, group(usd, 2, 4))
}

/** Tokens and counts: 1,234; with `short`, 12.3k and 4.5M from ten thousand up. */
export function formatCount(count: number, short = false): string {
  if (short && count >= 10_000) {
    return localizeNumber(compact.format(count).replace('K', 'k'))
  }
  return group(count, 0, 0)
}

/** "1 request", "1,234 requests". */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`
}

/** Bytes as 640 B, 12.3 kB, 4.5 MB (of 1000 each, as file managers and disks count them). */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${group(bytes / 1000 ** step, step === 0 ? 0 : 1, step === 0 ? 0 : 1)} ${units[step]}`
}

/** Milliseconds as 340 ms, 1.24 s, 2 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 0.5) return '<1 ms'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${formatDecimal(ms / 1000, ms < 10_000 ? 2 : 1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** How long ago: "just now", "3 min ago", "2 days ago", or its date beyond 30 days. */
export function formatAgo(iso: string, nowMs: number, timeZone?: string): string {
  const seconds = Math.max(0, (nowMs - Date.parse(iso)) / 1000)
  if (seconds < 10) return 'just now'
  if (seconds < 60) return `${Math.floor(seconds)} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  const days = Math.floor(seconds / 86_400)
  if (days <= 30) return days === 1 ? 'yesterday' : `${days} days ago`
  return formatDate(iso, timeZone)
}

/** 21 Nov 2026 */
export function formatDate(iso: string, timeZone?: string): string {
  return format(iso, { day: 'numeric', month: 'short', year: 'numeric' }, timeZone)
}

/** November 2026, for 2026-11. */
export function formatMonth(month: string): string {
  return format(`${month}-01`, { month: 'long', year: 'numeric' }, 'UTC')
}

/** 21 Nov for a day of this year, otherwise 21 Nov 2027. */
export function formatDay(iso: string, nowMs: number, timeZone?: string): string {
  const sameYear = getDay(Date.parse(iso), timeZone).slice(0, 4) === getDay(nowMs, timeZone).slice(0, 4)
  return sameYear ? format(iso, { day: 'numeric', month: 'short' }, timeZone) : formatDate(iso, timeZone)
}

/** 21 Nov 2026, 14:03:22 */
export function formatMoment(iso: string, timeZone?: string): string {
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return format(iso, { day: 'numeric', month: 'short', year: 'numeric', ...clock }, timeZone)
}

/** Today's times as 14:03:22 and those of other days as 20 Nov 14:03. */
export function formatClock(iso: string, nowMs: number, timeZone?: string): string {
  const today = getDay(nowMs, timeZone) === getDay(Date.parse(iso), timeZone)
  if (today) return format(iso, { hour: '2-digit', minute: '2-digit', second: '2-digit' }, timeZone)
  return format(iso, { ...DAY, hour: '2-digit', minute: '2-digit' }, timeZone).replace(',', '')
}

const DAY = { day: 'numeric', month: 'short' } as const

/** 14:03 */
export function formatTime(iso: string, timeZone?: string): string {
  return format(iso, { hour: '2-digit', minute: '2-digit' }, timeZone)
}

/** The calendar day (YYYY-MM-DD) of a moment in a time zone. */
export function getDay(ms: number, timeZone?: string): string {
  return dayName(ms, timeZone || systemTimeZone())
}

function format(iso: string, parts: Intl.DateTimeFormatOptions, timeZone: string | undefined): string {
  return shortenSeptember(getDateFormat(parts, timeZone).format(Date.parse(iso)))
}

/** Three letters, as for the other months. The locale's own abbreviation is "Sept". */
export function shortenSeptember(date: string): string {
  return date.replace(/\bSept\b/, 'Sep')
}

/** A number with a fixed count of decimals. */
export function formatDecimal(value: number, decimals: number): string {
  return localizeNumber(value.toFixed(decimals))
}

function group(value: number, min: number, max: number): string {
  const options = { minimumFractionDigits: min, maximumFractionDigits: max }
  const name = `${min}-${max}`
  const format = numberFormats.get(name) ?? new Intl.NumberFormat('en-US', options)
  numberFormats.set(name, format)
  return localizeNumber(format.format(value))
}

const numberFormats = new Map<string, Intl.NumberFormat>()
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

function withSign(value: number, digits: string): string {
  return value < 0 ? `−$${digits}` : `$${digits}`
}

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_DIRECTIONAL_ISOLATE = '\u2069'

/**
 * A name for the middle of a text, such as a message, a title or a label: whatever its direction, what is around it stays in order.
 * In elements, `<bdi>` does the same.
 */
export function isolate(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? FIRST_STRONG_ISOLATE + name + POP_DIRECTIONAL_ISOLATE : name
}

/** The name of something that the user has named, in quotation marks. */
export function quoteName(name: string): string {
  return `“${isolate(name)}”`
}
