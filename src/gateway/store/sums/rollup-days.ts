import { type Db, statement } from '../engine/statement.ts'
import { DIMENSIONS, MEASURE_COLUMNS } from './rollup-columns.ts'
import { putRollupTimeZone, rollupDay, rollupTimeZone } from './rollup-slots.ts'

const clear = statement<[]>('DELETE FROM day_sums')
const nextSlot15m = statement<[number], { bucket: number }>(
  'SELECT bucket FROM rollups WHERE bucket >= ? ORDER BY bucket LIMIT 1',
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
  clear(db).run()
  let from = Number.MIN_SAFE_INTEGER
  for (;;) {
    const next = nextSlot15m(db).get(from)
    if (!next) break
    const { start, end } = rollupDay(next.bucket, timeZone)
    insertDay(db).run({ day: start, start: next.bucket, end })
    from = end
  }
  putRollupTimeZone(db, timeZone)
  return true
}
