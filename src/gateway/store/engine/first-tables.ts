// The first migration: the tables of the first version.

export const FIRST_TABLES = `
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
