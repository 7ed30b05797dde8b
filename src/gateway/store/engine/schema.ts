// The tables of the core in a new database; those of features are in their parts of the store. Amounts are nano-dollars, and moments are milliseconds since 1970, unless a name says otherwise.

/** Sums of settled requests, by the same dimensions in every table that has them. */
const SUMS = `
  requests INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  cost_nano INTEGER NOT NULL DEFAULT 0,
  -- The cost by API of what plans paid for, and of what the response cache answered.
  worth_nano INTEGER NOT NULL DEFAULT 0,
  saved_nano INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0`

const createRollup = (table: string) => `
CREATE TABLE ${table} (
  bucket INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  -- '' where none was reached; as are clients without a name, and requests without a tag.
  provider TEXT NOT NULL,
  client TEXT NOT NULL,
  tag TEXT NOT NULL,${SUMS},
  -- Histograms of the durations of requests that succeeded; NULL where there are none.
  timings BLOB,
  PRIMARY KEY (bucket, key_id, model, provider, client, tag)
) STRICT, WITHOUT ROWID;`

const SETTINGS = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- The zone of the days in day_sums. The user's own is set at every start, which rebuilds them if it differs.
INSERT INTO meta (name, value) VALUES ('day_zone', 'UTC');

-- Values are JSON.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  purpose TEXT NOT NULL,
  secret_hash BLOB UNIQUE,
  secret_hint TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  expires_at INTEGER,
  paused_at INTEGER,
  pause_reason TEXT,
  tag TEXT,
  spend_limit_usd REAL,
  rpm_limit INTEGER,
  tpm_limit INTEGER,
  max_subagents INTEGER CHECK (max_subagents > 0),
  strict INTEGER NOT NULL DEFAULT 0 CHECK (strict IN (0, 1)),
  guard TEXT NOT NULL DEFAULT 'on',
  store_bodies INTEGER CHECK (store_bodies IN (0, 1)),
  -- JSON.
  spend_limits TEXT,
  allowed_models TEXT,
  response_cache TEXT,
  spend_nano INTEGER NOT NULL DEFAULT 0 CHECK (spend_nano >= 0),
  -- The part of spend_nano whose request rows are pruned.
  pruned_nano INTEGER NOT NULL DEFAULT 0 CHECK (pruned_nano >= 0)
) STRICT;

CREATE TABLE account (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  spend_nano INTEGER NOT NULL CHECK (spend_nano >= 0)
) STRICT;
INSERT INTO account (id, spend_nano) VALUES (1, 0);

CREATE TABLE providers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  api_format TEXT NOT NULL,
  base_url TEXT,
  authorization TEXT,
  enabled INTEGER,
  priority INTEGER NOT NULL,
  connect_timeout_ms INTEGER,
  first_byte_timeout_ms INTEGER,
  stall_timeout_ms INTEGER,
  total_timeout_ms INTEGER,
  network TEXT CHECK (network IN ('direct', 'system')),
  prompt_cache INTEGER NOT NULL DEFAULT 1 CHECK (prompt_cache IN (0, 1)),
  web_socket INTEGER CHECK (web_socket IN (0, 1)),
  -- JSON.
  headers TEXT NOT NULL,
  secret_headers TEXT NOT NULL DEFAULT '[]',
  credential_count INTEGER NOT NULL,
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
`

const REQUESTS = `
CREATE TABLE sessions (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  client_session_id TEXT,
  key_id TEXT NOT NULL,
  -- The calling program's name; '' where it gave none.
  client TEXT NOT NULL,
  tag TEXT,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- Calls that were refused are in no other sum.
  refused INTEGER NOT NULL DEFAULT 0,${SUMS},
  -- How much of the sums is of requests whose rows are pruned.
  pruned_requests INTEGER NOT NULL DEFAULT 0,
  pruned_nano INTEGER NOT NULL DEFAULT 0 CHECK (pruned_nano >= 0)
) STRICT;
CREATE INDEX sessions_by_time ON sessions (last_at);
CREATE INDEX sessions_by_client_session ON sessions (client_session_id) WHERE client_session_id IS NOT NULL;

-- What a session spent on each model.
CREATE TABLE session_models (
  session INTEGER NOT NULL REFERENCES sessions (nr) ON DELETE CASCADE,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  requests INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL CHECK (cost_nano >= 0),
  PRIMARY KEY (session, model, provider)
) STRICT, WITHOUT ROWID;

-- Most requests have one of a few prices, which take as many bytes as the rest of their rows. JSON.
CREATE TABLE prices (
  nr INTEGER PRIMARY KEY,
  price TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  key_id TEXT NOT NULL REFERENCES keys (id),
  session INTEGER,
  tag TEXT,
  client TEXT,
  -- The program's name in client; '' for none.
  client_name TEXT NOT NULL,
  endpoint TEXT,
  requested_model TEXT NOT NULL,
  model TEXT,
  provider TEXT,
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  status TEXT NOT NULL,
  http_status INTEGER,
  error TEXT,
  finish_reason TEXT,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  -- JSON: the counts that are not zero.
  usage TEXT,
  cost_status TEXT NOT NULL,
  cost_nano INTEGER CHECK (cost_nano >= 0),
  worth_nano INTEGER CHECK (worth_nano >= 0),
  saved_nano INTEGER CHECK (saved_nano >= 0),
  cost_low_nano INTEGER,
  cost_high_nano INTEGER,
  reserved_nano INTEGER NOT NULL,
  estimate_nano INTEGER,
  price INTEGER REFERENCES prices (nr),
  -- JSON: a list for each, of provider, model, status, start, duration and error.
  attempts TEXT,
  -- Microseconds.
  queue_us INTEGER,
  first_byte_us INTEGER,
  total_us INTEGER,
  -- The number of refused calls in the row, and the time of the last of several.
  count INTEGER NOT NULL CHECK (count >= 1),
  last_at INTEGER,
  needs INTEGER,
  agent_id TEXT,
  agent_parent TEXT,
  agent_type TEXT,
  agent_role TEXT,
  -- JSON: milliseconds by the names of tools.
  tool_ms TEXT,
  overflow_from TEXT,
  -- JSON: the sizes of its parts.
  prompt TEXT
) STRICT;
-- With the cost in it, a listing by cost reads no row that it does not show.
CREATE INDEX requests_by_time ON requests (created_at, seq, cost_nano);
CREATE INDEX requests_by_key ON requests (key_id, created_at);
CREATE INDEX requests_by_session ON requests (session, created_at);
-- Few requests run, fail or have a cost that is not certain.
CREATE INDEX requests_by_status ON requests (status, created_at) WHERE status <> 'succeeded';
CREATE INDEX requests_open_cost ON requests (cost_status, created_at)
  WHERE cost_status IN ('unsettled', 'unknown', 'confirmed');

CREATE TABLE request_bodies (
  seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
  request TEXT,
  response TEXT
) STRICT;

-- The first words of a prompt, which are deleted with it.
CREATE TABLE session_titles (
  session INTEGER PRIMARY KEY REFERENCES sessions (nr) ON DELETE CASCADE,
  seq INTEGER NOT NULL UNIQUE REFERENCES request_bodies (seq) ON DELETE CASCADE,
  title TEXT NOT NULL
) STRICT;

-- What stays reserved after a request whose provider may bill more than was charged.
CREATE TABLE holds (
  seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
  held_nano INTEGER NOT NULL CHECK (held_nano > 0),
  held_until INTEGER NOT NULL
) STRICT;

-- Confirmed costs before their confirmation.
CREATE TABLE cost_confirmations (
  seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
  confirmed_at INTEGER NOT NULL,
  cost_status TEXT NOT NULL,
  cost_nano INTEGER NOT NULL,
  cost_low_nano INTEGER,
  cost_high_nano INTEGER,
  -- NULL for an amount that the user entered.
  reconciliation_id TEXT
) STRICT;

CREATE TABLE idempotency (
  id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  body_hash BLOB NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status INTEGER,
  sealed BLOB
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
CREATE INDEX idempotency_running ON idempotency (state) WHERE state = 'running';
`

const TOTALS = `
-- Sums per quarter of an hour, the finest step between the offsets of time zones in use; and per day, whose bucket is its start.
${createRollup('rollups')}
${createRollup('day_sums')}

-- Where the work of a client's session, or of all sessions of a key, went on since a time.
CREATE TABLE git_places (
  client_session_id TEXT,
  key_id TEXT,
  at INTEGER NOT NULL,
  repository TEXT NOT NULL,
  -- '' for a detached HEAD.
  branch TEXT NOT NULL,
  -- NULL before the first commit.
  head TEXT
) STRICT;
CREATE INDEX git_places_by_session ON git_places (client_session_id, key_id);
CREATE INDEX git_places_by_key ON git_places (key_id) WHERE key_id IS NOT NULL;

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

export const SCHEMA = SETTINGS + REQUESTS + TOTALS
