// Numbers and times as the exports of providers write them.

/** 10⁻¹⁵ USD: costs are added exactly, however many decimals an export has. */
export const FEMTO_PER_NANO = 1_000_000n
const FEMTO_PLACES = 15
const CENT_PLACES = 2
const MAX_LENGTH = 60
/** `1234.5`, `1e-05`, `-3`. */
const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i

interface Amount {
  femto: bigint
  /** Half of what its last digit stands for, at most half a cent. */
  error: bigint
}

/** Null for what is no number. */
export function readAmount(text: string): Amount | null {
  // The pattern would take too long on a long text.
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text)
  if (!match) return null
  const [, sign, whole = '', decimals = '', exponent = '0'] = match
  const places = decimals.length - Number(exponent)
  const digits = BigInt(whole + decimals)
  const shift = FEMTO_PLACES - places
  if (shift < -40 || shift > 40) return null
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  const errorPlaces = Math.max(places, CENT_PLACES)
  const error = errorPlaces > FEMTO_PLACES ? 0n : 10n ** BigInt(FEMTO_PLACES - errorPlaces) / 2n
  return { femto: sign === '-' ? -size : size, error }
}

/** A count of tokens or requests. Some exports write them with a decimal zero. Null for what is none. */
export function readCount(text: string): number | null {
  const amount = readAmount(text)
  if (!amount || amount.femto < 0n) return null
  const unit = 10n ** BigInt(FEMTO_PLACES)
  const count = amount.femto / unit
  return amount.femto % unit === 0n && count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : null
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

function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && toDay(at) === text
}

/** The day in UTC. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
