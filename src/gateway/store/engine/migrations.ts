// The schema as an ordered list of migrations. It is append-only: data dirs of every earlier version must still open.
import { randomUUID } from 'node:crypto'
import { type Log, silentLog } from '../../platform/log.ts'
import { narrowRows } from './narrow-rows.ts'
import {
  addTagToSums,
  CONFIRMED_COSTS,
  SESSION_HOURS,
  SESSIONS,
  WITHOUT_SESSION,
  widenSums,
} from './rebuild-sums.ts'
import { type Db, statement } from './statement.ts'
import { StoreError, toStoreError } from './store-error.ts'
import { dropViews } from './views.ts'

export interface Migration {
  /** For the error message, if it fails. */
  name: string
  /** SQL, or what SQL alone cannot do. */
  apply: string | ((db: Db, now: number, log: Log) => void)
}

const LEDGER = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  purpose TEXT NOT NULL,
  secret_hash BLOB UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  spend_limit_usd REAL,
  rpm_limit INTEGER,
  tpm_limit INTEGER,
  spend_nano INTEGER NOT NULL DEFAULT 0 CHECK (spend_nano >= 0),
  -- The part of spend_nano whose request rows are pruned.
  pruned_nano INTEGER NOT NULL DEFAULT 0 CHECK (pruned_nano >= 0)
) STRICT;

CREATE TABLE requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  requested_model TEXT NOT NULL,
  model TEXT,
  provider TEXT,
  stream INTEGER NOT NULL,
  status TEXT NOT NULL,
  http_status INTEGER,
  error TEXT,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  usage TEXT,
  cost_nano INTEGER CHECK (cost_nano >= 0),
  cost_status TEXT NOT NULL,
  cost_low_nano INTEGER,
  cost_high_nano INTEGER,
  reserved_nano INTEGER NOT NULL,
  estimate_nano INTEGER,
  price TEXT,
  attempts TEXT NOT NULL DEFAULT '[]',
  queue_ms REAL,
  first_byte_ms REAL,
  total_ms REAL,
  client TEXT,
  settled_at INTEGER
) STRICT;

-- Each filter of the listing walks one index newest first; SQLite ends every index with the row id, which is seq.
CREATE INDEX requests_by_time ON requests (created_at);
CREATE INDEX requests_by_key ON requests (key_id, created_at);
CREATE INDEX requests_by_model ON requests (coalesce(model, requested_model), created_at);
CREATE INDEX requests_by_provider ON requests (provider, created_at);
CREATE INDEX requests_by_status ON requests (status, created_at);
CREATE INDEX requests_by_http_status ON requests (http_status, created_at);
-- Checking the totals reads this index alone.
CREATE INDEX requests_cost ON requests (key_id, cost_nano) WHERE cost_nano > 0;

CREATE TABLE request_bodies (
  request_id TEXT PRIMARY KEY REFERENCES requests (id) ON DELETE CASCADE,
  request TEXT,
  response TEXT
) STRICT;

-- Sums per quarter of an hour, the finest step between the offsets of time zones in use.
CREATE TABLE rollups (
  bucket INTEGER NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  PRIMARY KEY (bucket, key_id, model, provider)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  spend_nano INTEGER NOT NULL CHECK (spend_nano >= 0)
) STRICT;
INSERT INTO account (id, spend_nano) VALUES (1, 0);

CREATE TABLE providers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  wire TEXT NOT NULL,
  base_url TEXT,
  enabled INTEGER,
  priority INTEGER NOT NULL,
  first_byte_timeout_ms INTEGER,
  stall_timeout_ms INTEGER,
  headers TEXT NOT NULL,
  credential_expected INTEGER NOT NULL,
  models_fetched_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

-- No reference to providers: a built-in provider may have a model list without a row of its own.
CREATE TABLE provider_models (
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  info TEXT NOT NULL,
  PRIMARY KEY (provider_id, model_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_overrides (
  id TEXT PRIMARY KEY,
  override TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  body_hash BLOB NOT NULL,
  state TEXT NOT NULL,
  request_id TEXT,
  created_at INTEGER NOT NULL,
  status INTEGER,
  sealed BLOB
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
CREATE INDEX idempotency_running ON idempotency (state) WHERE state = 'running';
`

const SUMS = `
CREATE TABLE rollups_by_client (
  bucket INTEGER NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  -- The calling program's name; '' where it gave none, and for what was summed up before it was kept.
  client TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  PRIMARY KEY (bucket, key_id, model, provider, client)
) STRICT, WITHOUT ROWID;
INSERT INTO rollups_by_client
  SELECT bucket, key_id, model, provider, '', requests, tokens_in, tokens_out, cost_nano FROM rollups;
DROP TABLE rollups;
ALTER TABLE rollups_by_client RENAME TO rollups;

-- The same per day of the zone that meta keeps as day_zone; a bucket is the start of its day.
CREATE TABLE day_sums (
  bucket INTEGER NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  client TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL,
  PRIMARY KEY (bucket, key_id, model, provider, client)
) STRICT, WITHOUT ROWID;
INSERT INTO day_sums
  SELECT bucket / 86400000 * 86400000 AS day, key_id, model, provider, client,
    sum(requests), sum(tokens_in), sum(tokens_out), sum(cost_nano)
  FROM rollups GROUP BY day, key_id, model, provider, client;
-- The user's own zone is set at every start, which rebuilds the daily sums if it differs.
INSERT INTO meta (name, value) VALUES ('day_zone', 'UTC');
`

const COST_INDEXES = `
-- With the cost in it, a listing by cost looks at no row that it does not show.
DROP INDEX requests_by_time;
CREATE INDEX requests_by_time ON requests (created_at, seq, cost_nano);
CREATE INDEX requests_open_cost ON requests (cost_status, created_at)
  WHERE cost_status IN ('unsettled', 'unknown', 'confirmed');
`

const HOLDS = `
ALTER TABLE keys ADD COLUMN strict INTEGER NOT NULL DEFAULT 0 CHECK (strict IN (0, 1));

-- What stays reserved after a request whose provider may bill more than was charged.
CREATE TABLE holds (
  seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
  held_nano INTEGER NOT NULL CHECK (held_nano > 0),
  held_until INTEGER NOT NULL
) STRICT;
`

const ACTIVITY = `
CREATE TABLE activity (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  subject TEXT,
  subject_id TEXT,
  subject_name TEXT,
  spent_nano INTEGER,
  limit_nano INTEGER,
  previous_nano INTEGER,
  -- JSON: what only some kinds have.
  details TEXT NOT NULL
) STRICT;
CREATE INDEX activity_by_kind ON activity (kind, seq);
CREATE INDEX activity_by_time ON activity (at);
`

/** Entry n migrates a database from `user_version` n to n + 1. An entry never changes once it is merged. */
export const migrations: readonly Migration[] = [
  {
    name: 'ledger',
    apply(db, now) {
      db.exec(LEDGER)
      const put = db.prepare<[string, string]>('INSERT INTO meta (name, value) VALUES (?, ?)')
      put.run('install_id', randomUUID())
      put.run('created_at', String(now))
    },
  },
  {
    name: 'several credentials for one provider',
    apply: 'ALTER TABLE providers RENAME COLUMN credential_expected TO credential_count',
  },
  {
    name: 'time limits of a connection and of a whole call',
    apply: `
        ALTER TABLE providers ADD COLUMN connect_timeout_ms INTEGER;
        ALTER TABLE providers ADD COLUMN total_timeout_ms INTEGER;`,
  },
  { name: 'sums by client, and per day', apply: SUMS },
  { name: 'indexes by cost', apply: COST_INDEXES },
  {
    name: 'providers by API format',
    apply: `
        ALTER TABLE providers RENAME COLUMN wire TO api_format;
        UPDATE providers SET api_format = CASE api_format
          WHEN 'openai' THEN 'openai-chat'
          WHEN 'anthropic' THEN 'anthropic-messages'
          WHEN 'gemini' THEN 'gemini-generate'
          ELSE api_format
        END;`,
  },
  {
    name: 'headers that carry credentials, in the keychain',
    apply: "ALTER TABLE providers ADD COLUMN secret_headers TEXT NOT NULL DEFAULT '[]'",
  },
  {
    name: 'refused calls counted in one row',
    apply: `
        ALTER TABLE requests ADD COLUMN count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1);
        ALTER TABLE requests ADD COLUMN last_at INTEGER;`,
  },
  { name: 'endpoint of a request', apply: 'ALTER TABLE requests ADD COLUMN endpoint TEXT' },
  { name: 'how a provider is authorized', apply: 'ALTER TABLE providers ADD COLUMN authorization TEXT' },
  { name: 'narrow rows', apply: (db, _now, log) => narrowRows(db, log) },
  {
    name: 'indexes of high costs',
    apply: `
        CREATE INDEX requests_over_10_cents ON requests (created_at, seq, cost_nano) WHERE cost_nano >= 100000000;
        CREATE INDEX requests_over_1_usd ON requests (created_at, seq, cost_nano) WHERE cost_nano >= 1000000000;
        CREATE INDEX requests_over_10_usd ON requests (created_at, seq, cost_nano) WHERE cost_nano >= 10000000000;`,
  },
  { name: 'last characters of secrets', apply: 'ALTER TABLE keys ADD COLUMN secret_hint TEXT' },
  { name: 'errors, cached tokens and durations in the sums', apply: (db, _now, log) => widenSums(db, log) },
  {
    name: 'keys whose prompts are stored',
    apply: 'ALTER TABLE keys ADD COLUMN store_bodies INTEGER CHECK (store_bodies IN (0, 1))',
  },
  {
    name: 'spend limits, models, projects and ends of keys',
    apply: `
        ALTER TABLE keys ADD COLUMN tag TEXT;
        ALTER TABLE keys ADD COLUMN spend_limits TEXT;
        ALTER TABLE keys ADD COLUMN allowed_models TEXT;
        ALTER TABLE keys ADD COLUMN expires_at INTEGER;
        ALTER TABLE keys ADD COLUMN paused_at INTEGER;
        ALTER TABLE keys ADD COLUMN pause_reason TEXT;`,
  },
  { name: 'sessions and tags of requests', apply: SESSIONS },
  {
    name: 'what the runaway guard watches of a key',
    apply: `ALTER TABLE keys ADD COLUMN guard TEXT NOT NULL DEFAULT 'on'`,
  },
  { name: 'confirmed costs, and comparisons with exports', apply: CONFIRMED_COSTS },
  {
    name: 'what requests asked of their models',
    apply: `
        ALTER TABLE requests ADD COLUMN needs INTEGER;
        ALTER TABLE running ADD COLUMN needs INTEGER;`,
  },
  { name: 'tags in the sums', apply: addTagToSums },
  { name: 'sessions by the hour in which they were last active', apply: SESSION_HOURS },
  { name: 'requests from before there were sessions', apply: WITHOUT_SESSION },
  { name: 'strict keys, and amounts held after a request', apply: HOLDS },
  {
    name: 'the network of a provider',
    apply: "ALTER TABLE providers ADD COLUMN network TEXT CHECK (network IN ('direct', 'system'))",
  },
  { name: 'activity', apply: ACTIVITY },
]

const versionOf = statement<[], { user_version: number }>('PRAGMA user_version')

/** How many migrations a database has had. Throws a StoreError `newer` when that is more than are known. */
export function schemaVersion(db: Db, known: readonly Migration[] = migrations): number {
  const version = versionOf(db).get()?.user_version ?? 0
  if (version <= known.length) return version
  throw new StoreError(
    'newer',
    `This data was last used by a newer version of Tollgate (its schema is ${version}, this version knows ${known.length}). Update Tollgate to open it.`,
  )
}

/** Applies the missing migrations, each in its own transaction. */
export function migrate(
  db: Db,
  now: number,
  known: readonly Migration[] = migrations,
  log = silentLog,
): void {
  const before = schemaVersion(db, known)
  if (before < known.length) dropViews(db)
  for (let version = before; version < known.length; version++) {
    const step = known[version]
    if (!step) break
    try {
      db.transaction(() => {
        if (typeof step.apply === 'string') db.exec(step.apply)
        else step.apply(db, now, log)
        db.pragma(`user_version = ${version + 1}`)
      }).immediate()
    } catch (thrown) {
      const { code, message } = toStoreError(thrown)
      throw new StoreError(code, `The migration "${step.name}" failed: ${message}`, { cause: thrown })
    }
  }
}
