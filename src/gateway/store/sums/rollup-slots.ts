// The buckets of the rollups: 15-minute slots, and days of one time zone.
import { daySpan, type Span } from '../../../shared/calendar.ts'
import { type Db, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'

/** All UTC offsets in use are multiples of it, so days and months begin at the start of a slot. */
export const SLOT_15M_MS = 15 * 60_000

const UTC_DAY_MS = 24 * 60 * 60_000
const MAX_CACHED_DAYS = 1_000

const zone = statement<[], { value: string }>("SELECT value FROM meta WHERE name = 'day_zone'")
const putZone = statement<[string]>("UPDATE meta SET value = ? WHERE name = 'day_zone'")

/** The start of the 15-minute slot that contains `at`. */
export function slot15mOf(at: number): number {
  return Math.floor(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The start of the first 15-minute slot at or after `at`. */
export function slot15mFrom(at: number): number {
  return Math.ceil(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The IANA time zone of the daily rollups. */
export function rollupTimeZone(db: Db): string {
  const row = zone(db).get()
  if (!row)
    throw new StoreError('corrupt', 'The database does not contain the time zone of its daily rollups.')
  return row.value
}

export function putRollupTimeZone(db: Db, timeZone: string): void {
  putZone(db).run(timeZone)
}

/** Days by zone and by the UTC day they overlap: calling Intl would take longer than the rest of a charge. */
const cachedDays = new Map<string, Span[]>()

/** The slots of the day in which the slot of `at` begins. */
export function rollupDay(at: number, timeZone: string): Span {
  const slot = slot15mOf(at)
  const name = `${Math.floor(slot / UTC_DAY_MS)} ${timeZone}`
  const near = cachedDays.get(name)
  const known = near?.find(({ start, end }) => slot >= start && slot < end)
  if (known) return known
  const { start, end } = daySpan(slot, timeZone)
  const day = { start: slot15mFrom(start), end: slot15mFrom(end) }
  if (near) near.push(day)
  else {
    if (cachedDays.size >= MAX_CACHED_DAYS) cachedDays.clear()
    cachedDays.set(name, [day])
  }
  return day
}
