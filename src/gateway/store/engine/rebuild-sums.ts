// A migration: the sums get more columns, which are filled from the request rows that still exist. Of requests whose rows were
// pruned, no errors, cached tokens and durations are known.
import type { Log } from '../../platform/log.ts'
import { getTexts } from '../ledger/session-numbers.ts'
import { clientName } from '../sums/client-name.ts'
import { defineTimings, rollupDay, rollupTimeZone } from '../sums/rollup-columns.ts'
import type { Db, SqlValue } from './statement.ts'

const PLACE = ['bucket', 'key_id', 'model', 'provider', 'client']

export function widenSums(db: Db, log: Log): void {
  defineTimings(db)
  for (const table of ['rollups', 'day_sums']) db.exec(listColumns(table))
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

function listColumns(table: string): string {
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
  const texts = getTexts(db)
  const zone = rollupTimeZone(db)
  const unnamed = texts.find('')
  const clients = new Map<SqlValue, SqlValue>()
  const sent = db.prepare<[], { client: SqlValue }>('SELECT DISTINCT client FROM requests').all()
  for (const { client } of sent)
    clients.set(client, texts.find(clientName(client === null ? null : texts.getText(client))))
  db.function('unnamed', () => unnamed)
  db.function('day_of', (slot: number) => BigInt(rollupDay(slot, zone).start))
  db.function('client_nr', (client: SqlValue) => clients.get(client) ?? unnamed)
}

// A migration: the tables of sessions, and the session and the tag of a request. Earlier requests have neither.

/** Sums of settled requests; `refused` and `last_at` count refused ones as well. */
const SESSION_SUMS = `
  requests INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  cost_nano INTEGER NOT NULL DEFAULT 0 CHECK (cost_nano >= 0),
  -- How much of the sums is of requests whose rows are pruned.
  pruned_requests INTEGER NOT NULL DEFAULT 0,
  pruned_nano INTEGER NOT NULL DEFAULT 0 CHECK (pruned_nano >= 0)`

export const SESSIONS = `
CREATE TABLE sessions (
  nr INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  source INTEGER NOT NULL,
  client_session_id TEXT,
  key_id ANY NOT NULL,
  -- The calling program's name; the number of '' where it gave none.
  client ANY NOT NULL,
  tag ANY,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ${SESSION_SUMS}
) STRICT;
CREATE INDEX sessions_by_time ON sessions (last_at);

-- What a session spent on each model.
CREATE TABLE session_models (
  session INTEGER NOT NULL REFERENCES sessions (nr) ON DELETE CASCADE,
  model ANY NOT NULL,
  provider ANY NOT NULL,
  requests INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL CHECK (cost_nano >= 0),
  PRIMARY KEY (session, model, provider)
) STRICT, WITHOUT ROWID;

-- The first words of a prompt, which are deleted with it.
CREATE TABLE session_titles (
  session INTEGER PRIMARY KEY REFERENCES sessions (nr) ON DELETE CASCADE,
  seq INTEGER NOT NULL UNIQUE REFERENCES request_bodies (seq) ON DELETE CASCADE,
  title TEXT NOT NULL
) STRICT;

ALTER TABLE requests ADD COLUMN session INTEGER;
ALTER TABLE requests ADD COLUMN tag ANY;
ALTER TABLE running ADD COLUMN session INTEGER;
ALTER TABLE running ADD COLUMN tag ANY;
CREATE INDEX requests_by_session ON requests (session, created_at, seq, cost_nano) WHERE session IS NOT NULL;
CREATE INDEX requests_by_tag ON requests (tag, created_at) WHERE tag IS NOT NULL;
`

/** A later migration. The exact time changes with each request, and an index on it with it: a twelfth of the time of a charge. */
export const SESSION_HOURS = `
-- Hours since 1970 up to last_at.
ALTER TABLE sessions ADD COLUMN last_hour INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET last_hour = last_at / 3600000;
DROP INDEX sessions_by_time;
CREATE INDEX sessions_by_hour ON sessions (last_hour);
`

/** A later migration: no new request gets into this index, so it costs nothing. */
export const WITHOUT_SESSION =
  'CREATE INDEX requests_without_session ON requests (created_at) WHERE session IS NULL'

// A migration: the sums get the tag as a dimension. What was summed up before has no tag.

const TAGGED_PLACE = 'bucket, key_id, model, provider, client'
const TAGGED_SUMS = 'requests, tokens_in, tokens_out, cost_nano, tokens_cached, errors, unpriced, timings'

const TABLE = `(
  bucket INTEGER NOT NULL,
  key_id ANY NOT NULL,
  model ANY NOT NULL,
  provider ANY NOT NULL,
  client ANY NOT NULL,
  -- The number of '' for requests without one.
  tag ANY NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  -- Histograms of the durations of requests that succeeded; NULL where there are none.
  timings BLOB,
  PRIMARY KEY (${TAGGED_PLACE}, tag)
) STRICT, WITHOUT ROWID`

export function addTagToSums(db: Db): void {
  const none = getTexts(db).put('')
  for (const table of ['rollups', 'day_sums']) {
    db.exec(`CREATE TABLE tagged ${TABLE}`)
    db.prepare(
      `INSERT INTO tagged (${TAGGED_PLACE}, tag, ${TAGGED_SUMS}) SELECT ${TAGGED_PLACE}, ?, ${TAGGED_SUMS} FROM ${table} ORDER BY ${TAGGED_PLACE}`,
    ).run(none)
    db.exec(`DROP TABLE ${table}; ALTER TABLE tagged RENAME TO ${table}`)
  }
}

/** A later migration: what confirmed costs were before, and comparisons with the exports of providers. */
export const CONFIRMED_COSTS = `
      CREATE TABLE cost_confirmations (
        seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
        confirmed_at INTEGER NOT NULL,
        cost_status INTEGER NOT NULL,
        cost_nano INTEGER NOT NULL,
        cost_low_nano INTEGER,
        cost_high_nano INTEGER,
        -- Null for an amount that the user entered.
        reconciliation_id TEXT
      ) STRICT;
      CREATE TABLE reconciliations (
        id TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL,
        summary TEXT NOT NULL,
        details TEXT NOT NULL
      ) STRICT;`
