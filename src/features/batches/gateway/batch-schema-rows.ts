// The tables of batches: work that providers do within a day at a lower price.

/** A migration: it must not change. */
export const BATCH_TABLES = `
-- Files at providers, by the ids that clients see. Their bytes are not kept.
CREATE TABLE IF NOT EXISTS batch_files (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL REFERENCES keys (id),
  created_at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  -- Which of the provider's credentials has sent it.
  credential INTEGER NOT NULL,
  -- The provider's id; NULL until the whole file is there.
  provider_file TEXT,
  -- The batch whose answers it has; NULL for a file that a client has sent.
  batch TEXT,
  -- JSON: what the provider says of it, and for a file of a client the path and the models of its lines.
  object TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS batch_files_by_key ON batch_files (key_id, nr);

CREATE TABLE IF NOT EXISTS batch_file_lines (
  file INTEGER NOT NULL REFERENCES batch_files (nr) ON DELETE CASCADE,
  custom_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  -- JSON: what its cost depends on.
  facts TEXT NOT NULL,
  PRIMARY KEY (file, custom_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS batches (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL REFERENCES keys (id),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  provider TEXT NOT NULL,
  credential INTEGER NOT NULL,
  -- The provider's id; NULL until it is known.
  provider_batch TEXT,
  -- Before 'creating', nothing was sent. When it is 'settled', nothing is reserved.
  state TEXT NOT NULL CHECK (state IN ('preparing', 'creating', 'running', 'settled')),
  lines INTEGER NOT NULL DEFAULT 0,
  -- The lines that are not settled, and what they may cost.
  open_lines INTEGER NOT NULL DEFAULT 0 CHECK (open_lines >= 0),
  open_nano INTEGER NOT NULL DEFAULT 0 CHECK (open_nano >= 0),
  succeeded INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  cost_nano INTEGER NOT NULL DEFAULT 0,
  -- JSON: what the provider says of it, and what its lines have in common.
  object TEXT NOT NULL,
  details TEXT NOT NULL,
  -- Why it cannot be settled now; NULL if nothing is wrong.
  problem TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS batches_by_key ON batches (key_id, nr);
CREATE UNIQUE INDEX IF NOT EXISTS batches_of_provider ON batches (provider, provider_batch) WHERE provider_batch IS NOT NULL;
CREATE INDEX IF NOT EXISTS batches_open ON batches (state) WHERE state <> 'settled';

CREATE TABLE IF NOT EXISTS batch_lines (
  batch INTEGER NOT NULL REFERENCES batches (nr) ON DELETE CASCADE,
  custom_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  facts TEXT NOT NULL,
  most_nano INTEGER NOT NULL CHECK (most_nano >= 0),
  settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
  PRIMARY KEY (batch, custom_id)
) STRICT, WITHOUT ROWID;
`
