// What the tables of sums have for each bucket, key, model, provider, client and tag.
import { SANDBOX_ID } from '../../../shared/sandbox.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { addDuration, addEncodedTimings, encodeTimings, noTimings, sumTimings } from './timings.ts'

/** The tables: 15-minute slots, and days. */
export type RollupTable = 'rollups' | 'day_sums'

export const DIMENSIONS = ['bucket', 'key_id', 'model', 'provider', 'client', 'tag'] as const

/** Whether a row is of the sandbox, whose sample costs are in no sum. False where no provider is known. */
export const IS_SAMPLE = `provider IN ('${SANDBOX_ID}', (SELECT nr FROM texts WHERE text = '${SANDBOX_ID}'))`

const BILLED_NANO = `iif(${IS_SAMPLE}, 0, cost_nano)`

/** Columns that are added up, by the name that a sum has in the code; and how one is computed from request rows. */
export const MEASURES = {
  requests: { column: 'requests', ofRows: 'count(*)' },
  tokensIn: { column: 'tokens_in', ofRows: 'sum(tokens_in)' },
  tokensOut: { column: 'tokens_out', ofRows: 'sum(tokens_out)' },
  tokensCached: {
    column: 'tokens_cached',
    ofRows: "sum(iif(typeof(usage) = 'text', coalesce(usage ->> '$.cacheRead', 0), 0))",
  },
  costNano: { column: 'cost_nano', ofRows: `coalesce(sum(${BILLED_NANO}), 0)` },
  errors: { column: 'errors', ofRows: 'sum(status = 2)' },
  unpriced: { column: 'unpriced', ofRows: 'sum(cost_nano IS NULL)' },
} as const

export type Measures = Record<keyof typeof MEASURES, number>

export const MEASURE_NAMES = [
  'requests',
  'tokensIn',
  'tokensOut',
  'tokensCached',
  'costNano',
  'errors',
  'unpriced',
] as const
export const MEASURE_COLUMNS = Object.values(MEASURES).map(({ column }) => column)

/** How a measure is computed from rows of sums. */
export function sumOfSums(name: keyof Measures): string {
  return name === 'costNano' ? `sum(${BILLED_NANO})` : `sum(${MEASURES[name].column})`
}

/** The histograms of the requests that succeeded. */
export const TIMINGS_OF_ROWS = 'sum_timings(iif(status = 1, timings_of(total_us, first_byte_us), NULL))'

const MICROS_PER_MS = 1_000

/** The SQL functions that add up histograms. A connection that reads or writes sums needs them. */
export function defineTimings(db: Db): void {
  db.function('timings_of', (totalUs: number | null, firstByteUs: number | null) => {
    const timings = noTimings()
    addDuration(timings.total, totalUs === null ? null : totalUs / MICROS_PER_MS)
    addDuration(timings.firstByte, firstByteUs === null ? null : firstByteUs / MICROS_PER_MS)
    return encodeTimings(timings)
  })
  db.aggregate<(Uint8Array | null)[]>('sum_timings', {
    start: () => [],
    step: (all, encoded) => {
      if (encoded) all.push(encoded)
    },
    result: (all) => encodeTimings(sumTimings(all)),
  })
}

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
  return (db: Db, place: Place, measures: readonly number[], timings: Uint8Array | null): void => {
    const before = found(db).get(...place)?.timings
    add(db).run(...place, ...measures, addEncodedTimings(before, timings))
  }
}
