// Numbers and times as the exports of providers write them.
import { NANO_PER_USD } from '../../../shared/money/money.ts'

const CENT_PLACES = 2
const MAX_LENGTH = 60
/** `1234.5`, `1e-05`, `-3`. */
const NUMBER = /^-?\d+(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i

interface Amount {
  /** Nano-dollars, not rounded. */
  nano: number
  /** Half of what its last digit stands for, at most half a cent. */
  error: number
}

/** Null for what is no number. */
export function readAmount(text: string): Amount | null {
  // The pattern would take too long on a long text.
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text)
  if (!match) return null
  const [, decimals = '', exponent = '0'] = match
  const places = Math.max(decimals.length - Number(exponent), CENT_PLACES)
  return { nano: Number(text) * NANO_PER_USD, error: NANO_PER_USD / 10 ** places / 2 }
}

/** A count of tokens or requests. Some exports write them with a decimal zero. Null for what is none. */
export function readCount(text: string): number | null {
  const count = readAmount(text) && Number(text)
  return Number.isSafeInteger(count) && Number(count) >= 0 ? count : null
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d\d:\d\d)?$/
const SECONDS = /^\d{9,10}(\.\d+)?$/

/** Milliseconds since 1970. Times without a zone are in UTC. Null for what is no date. */
export function readMoment(text: string): number | null {
  if (SECONDS.test(text)) return Math.round(Number(text) * 1000)
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? []
  if (day === undefined || !isDay(day)) return null
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : at
}

/** False for a 31 April, which `Date.parse` takes for another day. */
function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && toDay(at) === text
}

/** The day in UTC. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
