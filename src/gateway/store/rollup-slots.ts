// Owns the steps that sums are kept in: quarters of an hour, and days of one time zone. Knows nothing of what is summed.
import { dayOf, type Span } from '../../shared/calendar.ts'
import { type Db, statement } from './statement.ts'
import { StoreError } from './store-error.ts'

/** Every offset between time zones in use is a multiple of it, so days and months begin on its bounds. */
export const SLOT_15M_MS = 15 * 60_000

const UTC_DAY_MS = 24 * 60 * 60_000
const DAYS_REMEMBERED = 1_000

const zone = statement<[], { value: string }>("SELECT value FROM meta WHERE name = 'day_zone'")
const putZone = statement<[string]>("UPDATE meta SET value = ? WHERE name = 'day_zone'")

/** The start of the quarter of an hour that `at` lies in. */
export function slot15mOf(at: number): number {
  return Math.floor(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The first quarter of an hour that begins at `at` or after it. */
export function slot15mFrom(at: number): number {
  return Math.ceil(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The IANA name of the time zone whose days are summed up. */
export function rollupTimeZone(db: Db): string {
  const row = zone(db).get()
  if (!row) throw new StoreError('corrupt', 'The database does not say whose days it sums up.')
  return row.value
}

export function putRollupTimeZone(db: Db, timeZone: string): void {
  putZone(db).run(timeZone)
}

/** Days by zone and by the UTC day they touch: asking Intl takes longer than all the rest of a charge. */
const remembered = new Map<string, Span[]>()

/** The quarters that make up the day in which the quarter of `at` begins. */
export function rollupDay(at: number, timeZone: string): Span {
  const quarter = slot15mOf(at)
  const name = `${Math.floor(quarter / UTC_DAY_MS)} ${timeZone}`
  const near = remembered.get(name)
  const known = near?.find(({ start, end }) => quarter >= start && quarter < end)
  if (known) return known
  const { start, end } = dayOf(quarter, timeZone)
  const day = { start: slot15mFrom(start), end: slot15mFrom(end) }
  if (near) near.push(day)
  else {
    if (remembered.size >= DAYS_REMEMBERED) remembered.clear()
    remembered.set(name, [day])
  }
  return day
}
