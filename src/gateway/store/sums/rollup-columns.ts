// Columns of the tables of sums: one row for each bucket, key, model, provider, client and tag.

import { SANDBOX_ID } from '../../../shared/api/terms.ts'
import { daySpan, type Span } from '../../../shared/values/calendar.ts'
import { putMeta, readMeta } from '../sql/meta.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'
import { addEncodedTimings } from './timings.ts'

/** The tables: 15-minute slots, and days. */
export type RollupTable = 'rollups' | 'day_sums'

const DIMENSIONS = ['bucket', 'key_id', 'model', 'provider', 'client', 'tag'] as const

/** Whether a row is of the sandbox, whose sample costs are in no sum. False where no provider is known. */
export const IS_SAMPLE = `provider IS '${SANDBOX_ID}'`

const BILLED_NANO = `iif(${IS_SAMPLE}, 0, cost_nano)`

/** Columns that are added up, by the name that a sum has in the code; and how one is computed from request rows. */
export const MEASURES = {
  requests: { column: 'requests', ofRows: 'count(*)' },
  tokensIn: { column: 'tokens_in', ofRows: 'sum(tokens_in)' },
  tokensOut: { column: 'tokens_out', ofRows: 'sum(tokens_out)' },
  tokensCached: {
    column: 'tokens_cached',
    ofRows: "sum(ifnull(usage ->> '$.cacheRead', 0))",
  },
  costNano: { column: 'cost_nano', ofRows: `coalesce(sum(${BILLED_NANO}), 0)` },
  worthNano: { column: 'worth_nano', ofRows: 'coalesce(sum(worth_nano), 0)' },
  savedNano: { column: 'saved_nano', ofRows: 'coalesce(sum(saved_nano), 0)' },
  errors: { column: 'errors', ofRows: "sum(status = 'failed')" },
  unpriced: { column: 'unpriced', ofRows: 'sum(cost_nano IS NULL)' },
} as const

export type Measures = Record<keyof typeof MEASURES, number>

export const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Measures)[]
export const NO_MEASURES = Object.fromEntries(MEASURE_NAMES.map((name) => [name, 0])) as Measures
export const MEASURE_COLUMNS = Object.values(MEASURES).map(({ column }) => column)

export function addMeasures(sum: Measures, each: Measures): void {
  for (const name of MEASURE_NAMES) sum[name] += each[name]
}

/** How a measure is computed from rows of sums. */
export function sumOfSums(name: keyof Measures): string {
  return name === 'costNano' ? `sum(${BILLED_NANO})` : `sum(${MEASURES[name].column})`
}

/** Whether a row is of a settled request, which sums count. */
export const IS_SETTLED = "status NOT IN ('running', 'refused', 'rejected')"

/** The histograms of the requests that succeeded. */
export const TIMINGS_OF_ROWS =
  "sum_timings(iif(status = 'succeeded' AND saved_nano IS NULL, timings_of(total_us, first_byte_us), NULL))"

type Place = readonly [bucket: number, ...values: SqlValue[]]

/**
 * Adds a row to the one with the same dimensions. Histograms are added here and not by a function in SQL, which would take
 * twice as long.
 */
export function addToRollup(table: RollupTable) {
  const columns = [...DIMENSIONS, ...MEASURE_COLUMNS, 'timings']
  const sums = MEASURE_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`)
  const found = statement<SqlValue[], { timings: Uint8Array | null }>(`
    SELECT timings FROM ${table} WHERE (${DIMENSIONS.join(', ')}) = (${DIMENSIONS.map(() => '?').join(', ')})`)
  const add = statement<SqlValue[]>(`
    INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${sums.join(', ')}, timings = excluded.timings`)
  return (db: Db, place: Place, measures: Measures, timings: Uint8Array | null): void => {
    const before = found(db).get(...place)?.timings
    const values = MEASURE_NAMES.map((name) => measures[name])
    add(db).run(...place, ...values, addEncodedTimings(before, timings))
  }
}

// The buckets of the rollups: 15-minute slots, and days of one time zone.

/** All UTC offsets in use are multiples of it, so days and months begin at the start of a slot. */
export const SLOT_15M_MS = 15 * 60_000

const UTC_DAY_MS = 24 * 60 * 60_000
const MAX_CACHED_DAYS = 1_000

const DAY_ZONE = 'day_zone'

/** The start of the 15-minute slot that contains `at`. */
export function findSlot15m(at: number): number {
  return Math.floor(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The start of the first 15-minute slot at or after `at`. */
export function slot15mFrom(at: number): number {
  return Math.ceil(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The IANA time zone of the daily rollups. */
export function rollupTimeZone(db: Db): string {
  const zone = readMeta(db, DAY_ZONE)
  if (zone === undefined)
    throw new StoreError('corrupt', 'The database does not contain the time zone of its daily rollups.')
  return zone
}

/** Days by zone and by the UTC day they overlap: calling Intl would take longer than the rest of a charge. */
const cachedDays = new Map<string, Span[]>()

/** The slots of the day in which the slot of `at` begins. */
export function rollupDay(at: number, timeZone: string): Span {
  const slot = findSlot15m(at)
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

const clear = statement<[]>('DELETE FROM day_sums')
const nextSlot15m = statement<[number], { bucket: number | null }>(
  'SELECT min(bucket) AS bucket FROM rollups WHERE bucket >= ?',
)
const insertDay = statement<{ day: number; start: number; end: number }>(`
  INSERT INTO day_sums (${[...DIMENSIONS, ...MEASURE_COLUMNS].join(', ')}, timings)
  SELECT CAST(@day AS INTEGER), key_id, model, provider, client, tag,
    ${MEASURE_COLUMNS.map((column) => `sum(${column})`).join(', ')}, sum_timings(timings)
  FROM rollups WHERE bucket >= @start AND bucket < @end GROUP BY key_id, model, provider, client, tag`)

/**
 * Sets the IANA time zone of the daily rollups. If it is a new one, all of them are rebuilt from the 15-minute rollups
 * and this returns true: with a million requests that takes seconds, while charges wait.
 */
export function setRollupTimeZone(db: Db, timeZone: string): boolean {
  if (rollupTimeZone(db) === timeZone) return false
  rebuildDays(db, timeZone)
  putMeta(db, DAY_ZONE, timeZone)
  return true
}

/** The start of the first 15-minute slot at or after `from` that has requests; null for none. */
export function findUsedSlot15m(db: Db, from: number): number | null {
  return nextSlot15m(db).get(from)?.bucket ?? null
}

/** Makes the daily rollups of the 15-minute rollups. */
export function rebuildDays(db: Db, timeZone: string): void {
  clear(db).run()
  let from = Number.MIN_SAFE_INTEGER
  for (;;) {
    const next = findUsedSlot15m(db, from)
    if (next === null) break
    const { start, end } = rollupDay(next, timeZone)
    insertDay(db).run({ day: start, start: next, end })
    from = end
  }
}
