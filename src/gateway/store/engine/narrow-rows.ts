// A migration: stores texts that occur in many rows once, other values in fewer bytes, and running requests in a table of
// their own. It has its own copy of how values are stored at that version, because a migration never changes.
import type { Log } from '../../platform/log.ts'
import type { Db } from './statement.ts'

const ROWS_PER_STEP = 100_000
const MAX_TEXTS = 50_000
const MAX_LENGTH = 4_096

const REQUEST_COLUMNS = `
  id ANY NOT NULL,
  created_at INTEGER NOT NULL,
  key_id ANY NOT NULL,
  requested_model ANY NOT NULL,
  model ANY,
  provider ANY,
  stream INTEGER NOT NULL,
  status INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  usage ANY,
  cost_nano INTEGER CHECK (cost_nano >= 0),
  cost_status INTEGER NOT NULL,
  cost_low_nano INTEGER,
  cost_high_nano INTEGER,
  reserved_nano INTEGER NOT NULL,
  estimate_nano INTEGER,
  price ANY,
  attempts ANY,
  queue_us INTEGER,
  first_byte_us INTEGER,
  total_us INTEGER,
  client ANY,
  endpoint ANY,
  count INTEGER NOT NULL CHECK (count >= 1),
  last_at INTEGER,
  settled_after INTEGER`

const ROLLUP_COLUMNS = `
  bucket INTEGER NOT NULL,
  key_id ANY NOT NULL,
  model ANY NOT NULL,
  provider ANY NOT NULL,
  -- The calling program's name; the number of '' where it gave none, and for what was summed up before it was kept.
  client ANY NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  PRIMARY KEY (bucket, key_id, model, provider, client)`

const TABLES = `
ALTER TABLE requests RENAME TO wide_requests;
ALTER TABLE rollups RENAME TO wide_rollups;
ALTER TABLE day_sums RENAME TO wide_day_sums;

-- A column of type ANY has a number of this table, or a text that is not in it.
CREATE TABLE texts (
  nr INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- Settled and refused requests: rows are inserted in their final form.
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  ${REQUEST_COLUMNS}
) STRICT;

CREATE TABLE running (
  seq INTEGER PRIMARY KEY,
  ${REQUEST_COLUMNS},
  UNIQUE (id)
) STRICT;

CREATE TABLE rollups (${ROLLUP_COLUMNS}) STRICT, WITHOUT ROWID;
CREATE TABLE day_sums (${ROLLUP_COLUMNS}) STRICT, WITHOUT ROWID;

CREATE TABLE bodies (
  seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
  request TEXT,
  response TEXT
) STRICT;
`

const COPY = `
  SELECT seq, narrow_id(id), created_at, text_nr(key_id), text_nr(requested_model), text_nr(model), text_nr(provider),
    stream,
    CASE status WHEN 'running' THEN 0 WHEN 'succeeded' THEN 1 WHEN 'failed' THEN 2 WHEN 'canceled' THEN 3 ELSE 4 END,
    http_status, error, tokens_in, tokens_out, narrow_usage(usage, tokens_in, tokens_out), cost_nano,
    CASE cost_status WHEN 'pending' THEN 0 WHEN 'exact' THEN 1 WHEN 'estimated' THEN 2 WHEN 'unsettled' THEN 3
      WHEN 'confirmed' THEN 4 WHEN 'unknown' THEN 5 ELSE 6 END,
    cost_low_nano, cost_high_nano, reserved_nano, estimate_nano, text_nr(price), narrow_attempts(attempts, model, provider),
    CAST(round(queue_ms * 1000) AS INTEGER), CAST(round(first_byte_ms * 1000) AS INTEGER),
    CAST(round(total_ms * 1000) AS INTEGER), text_nr(client), text_nr(endpoint), count, last_at, settled_at - created_at
  FROM wide_requests`

const REST = `
INSERT INTO bodies
  SELECT seq, request, response FROM request_bodies JOIN wide_requests ON id = request_id ORDER BY seq;
DROP TABLE request_bodies;
ALTER TABLE bodies RENAME TO request_bodies;
DROP TABLE wide_requests;

-- Each filter of the listing walks one index newest first; SQLite ends every index with the row id, which is seq.
CREATE UNIQUE INDEX requests_by_id ON requests (id);
-- With the cost in it, a listing by cost looks at no row that it does not show.
CREATE INDEX requests_by_time ON requests (created_at, seq, cost_nano);
-- Checking the totals reads this index alone.
CREATE INDEX requests_by_key ON requests (key_id, created_at, seq, cost_nano);
CREATE INDEX requests_by_model ON requests (coalesce(model, requested_model), created_at);
CREATE INDEX requests_by_provider ON requests (provider, created_at);
-- Few requests fail: the others are found by time.
CREATE INDEX requests_by_status ON requests (status, created_at) WHERE status <> 1;
CREATE INDEX requests_by_http_status ON requests (http_status, created_at) WHERE http_status <> 200;
CREATE INDEX requests_open_cost ON requests (cost_status, created_at) WHERE cost_status IN (3, 4, 5);
`

export function narrowRows(db: Db, log: Log): void {
  const numbers = new Map<string, bigint>()
  defineFunctions(db, numbers)
  db.exec(TABLES)
  copyRequests(db, log)
  for (const table of ['rollups', 'day_sums']) {
    db.exec(`
      INSERT INTO ${table}
        SELECT bucket, text_nr(key_id), text_nr(model), text_nr(provider), text_nr(client),
          requests, tokens_in, tokens_out, cost_nano
        FROM wide_${table} ORDER BY bucket;
      DROP TABLE wide_${table}`)
  }
  const insert = db.prepare<[bigint, string]>('INSERT INTO texts (nr, text) VALUES (?, ?)')
  for (const [text, nr] of numbers) insert.run(nr, text)
  log.info('Building the indexes of the requests.')
  db.exec(REST)
}

/** SQL functions that convert the values. Bigints become INTEGER; other numbers would become REAL. */
function defineFunctions(db: Db, numbers: Map<string, bigint>): void {
  db.function('text_nr', (text: string | null) => {
    if (text === null) return null
    const known = numbers.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_LENGTH || numbers.size >= MAX_TEXTS) return text
    const nr = BigInt(numbers.size + 1)
    numbers.set(text, nr)
    return nr
  })
  db.function('narrow_id', (id: string) =>
    /^req_[0-9a-f]{32}$/.test(id) ? Buffer.from(id.slice(4), 'hex') : id,
  )
  db.function('narrow_usage', narrowUsage)
  db.function('narrow_attempts', narrowAttempts)
}

function narrowUsage(json: string | null, tokensIn: number, tokensOut: number): string | bigint | null {
  if (json === null) return null
  const expected: Record<string, number> = {
    input: tokensIn,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    output: tokensOut,
    audioOutput: 0,
    reasoning: 0,
    cacheReadAudio: 0,
  }
  const buckets: Record<string, number> = JSON.parse(json)
  const other = Object.entries(buckets).filter(([name, count]) => count !== expected[name])
  return other.length > 0 ? JSON.stringify(Object.fromEntries(other)) : 0n
}

interface WideAttempt {
  provider: string
  model: string
  status: number | null
  ms: number
  error: string | null
}

function narrowAttempts(json: string, model: string | null, provider: string | null): string | bigint | null {
  const attempts: WideAttempt[] = JSON.parse(json)
  const [only] = attempts
  if (!only) return null
  const isUsual =
    attempts.length === 1 &&
    only.status === 200 &&
    only.error === null &&
    only.model === model &&
    only.provider === provider
  return isUsual ? BigInt(Math.round(only.ms * 1_000)) : json
}

/** Copies in steps, so that the log shows the progress. */
function copyRequests(db: Db, log: Log): void {
  const last =
    db.prepare<[], { last: number | null }>('SELECT max(seq) AS last FROM wide_requests').get()?.last ?? 0
  const settled = db.prepare<[number, number]>(
    `INSERT INTO requests ${COPY} WHERE status <> 'running' AND seq > ? AND seq <= ?`,
  )
  for (let from = 0; from < last; from += ROWS_PER_STEP) {
    settled.run(from, from + ROWS_PER_STEP)
    if (last > ROWS_PER_STEP)
      log.info(`Converted ${Math.min(from + ROWS_PER_STEP, last)} of ${last} requests.`)
  }
  db.exec(`INSERT INTO running ${COPY} WHERE status = 'running'`)
}
