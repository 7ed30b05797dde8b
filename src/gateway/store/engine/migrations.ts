// The schema as an ordered list of migrations. It is append-only: data dirs of every earlier version must still open.
import { randomUUID } from 'node:crypto'
import { type Log, silentLog } from '../../platform/log.ts'
import { FIRST_TABLES } from './first-tables.ts'
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

const PLANS = `
-- What a request that a plan paid for would have cost.
ALTER TABLE requests ADD COLUMN worth_nano INTEGER CHECK (worth_nano >= 0);
ALTER TABLE running ADD COLUMN worth_nano INTEGER CHECK (worth_nano >= 0);
ALTER TABLE rollups ADD COLUMN worth_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE day_sums ADD COLUMN worth_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN worth_nano INTEGER NOT NULL DEFAULT 0;
`

const PLAN_WINDOWS = `
CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  -- JSON: what its vendor reported last.
  report TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_history (
  plan TEXT NOT NULL,
  at INTEGER NOT NULL,
  window TEXT NOT NULL,
  utilization REAL NOT NULL,
  PRIMARY KEY (plan, at, window)
) STRICT, WITHOUT ROWID;
`

const GIT = `
-- Where the work of a client's session, or of all sessions of a key, went on since a time.
CREATE TABLE git_places (
  client_session_id TEXT,
  key_id ANY,
  at INTEGER NOT NULL,
  repository TEXT NOT NULL,
  -- '' for a detached HEAD.
  branch TEXT NOT NULL,
  -- NULL before the first commit.
  head TEXT
) STRICT;
CREATE INDEX git_places_by_session ON git_places (client_session_id, key_id);
CREATE INDEX git_places_by_key ON git_places (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX sessions_by_client_session ON sessions (client_session_id) WHERE client_session_id IS NOT NULL;

CREATE TABLE git_moves (
  repository TEXT NOT NULL,
  branch TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- '' where changes without a commit were taken along to another branch.
  commit_hash TEXT NOT NULL,
  next_branch TEXT NOT NULL,
  PRIMARY KEY (repository, branch, at, commit_hash, next_branch)
) STRICT, WITHOUT ROWID;
`

const AGENTS = ['requests', 'running']
  .map(
    (table) => `
ALTER TABLE ${table} ADD COLUMN agent_id ANY;
ALTER TABLE ${table} ADD COLUMN agent_parent ANY;
ALTER TABLE ${table} ADD COLUMN agent_type ANY;
ALTER TABLE ${table} ADD COLUMN agent_role INTEGER;
-- JSON: milliseconds by the names of tools.
ALTER TABLE ${table} ADD COLUMN tool_ms TEXT;`,
  )
  .join('')

const RESPONSE_CACHE = `
-- JSON: how long answers are repeated, and how many bytes are stored. NULL: they are not.
ALTER TABLE keys ADD COLUMN response_cache TEXT;

CREATE TABLE cached_answers (
  id BLOB PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX cached_answers_by_use ON cached_answers (key_id, used_at);

CREATE TABLE cache_sizes (
  key_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER cached_answer_added AFTER INSERT ON cached_answers BEGIN
  INSERT INTO cache_sizes VALUES (NEW.key_id, length(NEW.sealed))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER cached_answer_removed AFTER DELETE ON cached_answers BEGIN
  UPDATE cache_sizes SET bytes = bytes - length(OLD.sealed) WHERE key_id = OLD.key_id;
END;

-- What requests would have cost that got a stored answer.
ALTER TABLE requests ADD COLUMN saved_nano INTEGER CHECK (saved_nano >= 0);
ALTER TABLE running ADD COLUMN saved_nano INTEGER CHECK (saved_nano >= 0);
ALTER TABLE rollups ADD COLUMN saved_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE day_sums ADD COLUMN saved_nano INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN saved_nano INTEGER NOT NULL DEFAULT 0;
`

const ENERGY = `
-- JSON: watts, and the price of electricity. NULL: not known.
ALTER TABLE providers ADD COLUMN energy TEXT;
${['requests', 'running']
  .map(
    (table) => `
-- Millionths of a watt-hour, and nano-dollars, which are never charged.
ALTER TABLE ${table} ADD COLUMN energy_uwh INTEGER CHECK (energy_uwh >= 0);
ALTER TABLE ${table} ADD COLUMN energy_nano INTEGER CHECK (energy_nano >= 0);`,
  )
  .join('')}
${['rollups', 'day_sums', 'sessions']
  .map(
    (table) => `
ALTER TABLE ${table} ADD COLUMN energy_uwh INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN energy_nano INTEGER NOT NULL DEFAULT 0;`,
  )
  .join('')}`

const WITHOUT_ENERGY = `
ALTER TABLE providers DROP COLUMN energy;
${['requests', 'running', 'rollups', 'day_sums', 'sessions']
  .map(
    (table) => `
ALTER TABLE ${table} DROP COLUMN energy_uwh;
ALTER TABLE ${table} DROP COLUMN energy_nano;`,
  )
  .join('')}
-- The public keys that signed receipts.
DELETE FROM settings WHERE name = 'installKeys';`

/** Entry n migrates a database from `user_version` n to n + 1. An entry never changes once it is merged. */
export const migrations: readonly Migration[] = [
  {
    name: 'ledger',
    apply(db, now) {
      db.exec(FIRST_TABLES)
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
  { name: 'what requests of plans are worth', apply: PLANS },
  { name: 'windows of plans', apply: PLAN_WINDOWS },
  { name: 'agents of requests', apply: AGENTS },
  {
    name: 'requests that a plan did not cover',
    apply: `
        ALTER TABLE requests ADD COLUMN overflow_from ANY;
        ALTER TABLE running ADD COLUMN overflow_from ANY;`,
  },
  { name: 'branches and commits', apply: GIT },
  { name: 'the response cache', apply: RESPONSE_CACHE },
  {
    name: 'providers whose prompt caches are kept',
    apply: `
        ALTER TABLE providers ADD COLUMN prompt_cache INTEGER NOT NULL DEFAULT 1
          CHECK (prompt_cache IN (0, 1))`,
  },
  {
    name: 'how many sub-agents a key allows',
    apply: 'ALTER TABLE keys ADD COLUMN max_subagents INTEGER CHECK (max_subagents > 0)',
  },
  {
    name: 'what prompts consist of',
    apply: `
        ALTER TABLE requests ADD COLUMN prompt ANY;
        ALTER TABLE running ADD COLUMN prompt ANY;
        -- By the day in UTC, since 1970.
        CREATE TABLE prompt_sums (
          day INTEGER NOT NULL,
          session INTEGER NOT NULL REFERENCES sessions (nr) ON DELETE CASCADE,
          sums TEXT NOT NULL,
          PRIMARY KEY (day, session)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX prompt_sums_by_session ON prompt_sums (session);`,
  },
  {
    name: 'why answers ended',
    apply: `
        ALTER TABLE requests ADD COLUMN finish_reason INTEGER;
        ALTER TABLE running ADD COLUMN finish_reason INTEGER;`,
  },
  { name: 'energy of local models', apply: ENERGY },
  {
    name: 'providers with WebSockets',
    apply: `
        -- NULL: as its vendor has it.
        ALTER TABLE providers ADD COLUMN web_socket INTEGER CHECK (web_socket IN (0, 1));`,
  },
  { name: 'no energy, and no signatures', apply: WITHOUT_ENERGY },
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

/** Applies the missing migrations: each in its own transaction, or all in one to a new database, which then waits once for the disk. */
export function migrate(
  db: Db,
  now: number,
  known: readonly Migration[] = migrations,
  log = silentLog,
): void {
  const before = schemaVersion(db, known)
  const missing = known.slice(before)
  if (missing.length === 0) return
  dropViews(db)
  const apply = (step: Migration, index: number): void => {
    try {
      db.transaction(() => {
        if (typeof step.apply === 'string') db.exec(step.apply)
        else step.apply(db, now, log)
        db.pragma(`user_version = ${before + index + 1}`)
      }).immediate()
    } catch (thrown) {
      const { code, message } = toStoreError(thrown)
      throw new StoreError(code, `The migration "${step.name}" failed: ${message}`, { cause: thrown })
    }
  }
  if (before === 0) db.transaction(() => missing.forEach(apply)).immediate()
  else missing.forEach(apply)
}
