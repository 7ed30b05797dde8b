// A migration: the sums get more columns, which are filled from the request rows that still exist. Of requests whose rows were
// pruned, no errors, cached tokens and durations are known.
import type { Log } from '../../platform/log.ts'
import { textsOf } from '../ledger/texts.ts'
import { clientName } from '../sums/client-name.ts'
import { defineTimings } from '../sums/rollup-columns.ts'
import { rollupDay, rollupTimeZone } from '../sums/rollup-slots.ts'
import type { Db, SqlValue } from './statement.ts'

const PLACE = ['bucket', 'key_id', 'model', 'provider', 'client']

export function widenSums(db: Db, log: Log): void {
  defineTimings(db)
  for (const table of ['rollups', 'day_sums']) db.exec(columnsOf(table))
  const { requests = 0 } =
    db.prepare<[], { requests: number }>('SELECT count(*) AS requests FROM requests').get() ?? {}
  if (requests === 0) return
  if (requests > 100_000) log.info(`Adding up the durations of ${requests} requests.`)
  defineFunctions(db)
  db.exec(`
    ${MEASURE}
    ${fill('rollups', 'bucket')}
    ${fill('day_sums', 'day_of(bucket)')}
    DROP TABLE temp.measured`)
}

function columnsOf(table: string): string {
  return `
    ALTER TABLE ${table} ADD COLUMN tokens_cached INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ${table} ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ${table} ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
    -- Histograms of the durations of requests that succeeded; NULL where there are none.
    ALTER TABLE ${table} ADD COLUMN timings BLOB;`
}

/** Requests from before sums had clients are in the sum of the client ''. */
const MEASURE = `
  CREATE TEMP TABLE measured AS
    SELECT created_at / 900000 * 900000 AS bucket, key_id, coalesce(model, requested_model) AS model,
      coalesce(provider, unnamed()) AS provider, client_nr(client) AS client,
      sum(iif(typeof(usage) = 'text', coalesce(usage ->> '$.cacheRead', 0), 0)) AS tokens_cached,
      sum(status = 2) AS errors, sum(cost_nano IS NULL) AS unpriced,
      sum_timings(iif(status = 1, timings_of(total_us, first_byte_us), NULL)) AS timings
    FROM main.requests WHERE status <> 4 GROUP BY 1, 2, 3, 4, 5;
  UPDATE measured SET client = unnamed() WHERE NOT EXISTS (
    SELECT 1 FROM main.rollups AS sums WHERE ${PLACE.map((column) => `sums.${column} = measured.${column}`).join(' AND ')});`

function fill(table: string, bucket: string): string {
  return `
    UPDATE main.${table} SET tokens_cached = measured.tokens_cached, errors = measured.errors,
      unpriced = measured.unpriced, timings = measured.timings
    FROM (
      SELECT ${bucket} AS bucket, key_id, model, provider, client, sum(tokens_cached) AS tokens_cached,
        sum(errors) AS errors, sum(unpriced) AS unpriced, sum_timings(timings) AS timings
      FROM temp.measured GROUP BY 1, 2, 3, 4, 5) AS measured
    WHERE ${PLACE.map((column) => `${table}.${column} = measured.${column}`).join(' AND ')};`
}

/** A function cannot read the database, so the numbers of all clients are read before. */
function defineFunctions(db: Db): void {
  const texts = textsOf(db)
  const zone = rollupTimeZone(db)
  const unnamed = texts.find('')
  const clients = new Map<SqlValue, SqlValue>()
  const sent = db.prepare<[], { client: SqlValue }>('SELECT DISTINCT client FROM requests').all()
  for (const { client } of sent)
    clients.set(client, texts.find(clientName(client === null ? null : texts.textOf(client))))
  db.function('unnamed', () => unnamed)
  db.function('day_of', (slot: number) => BigInt(rollupDay(slot, zone).start))
  db.function('client_nr', (client: SqlValue) => clients.get(client) ?? unnamed)
}
