// A migration: the tables of sessions, and the session and the tag of a request. Earlier requests have neither.

/** Sums of settled requests; `refused` and `last_at` count refused ones as well. */
const SUMS = `
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
  ${SUMS}
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
