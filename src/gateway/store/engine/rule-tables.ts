// The tables of rules: apart from the migrations, whose list is long enough.

/** A migration: it must not change. */
export const RULES = `
CREATE TABLE rules (
  id TEXT PRIMARY KEY,
  -- Their order; the first one that holds acts.
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- JSON: name, conditions, actions, start and mode.
  rule TEXT NOT NULL
) STRICT;

-- What was so when a session or sub-agent began.
CREATE TABLE rule_runs (
  session TEXT NOT NULL,
  -- '' for the main agent.
  agent TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (session, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_runs_by_time ON rule_runs (started_at);

-- What the conditions of rules are about, of each request while there are rules.
CREATE TABLE rule_facts (
  request_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_facts_by_time ON rule_facts (created_at);

CREATE TABLE rule_effects (
  request_id TEXT NOT NULL,
  is_shadow INTEGER NOT NULL CHECK (is_shadow IN (0, 1)),
  rule_id TEXT NOT NULL,
  -- As it was named then.
  rule_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session TEXT NOT NULL,
  asked_model TEXT NOT NULL,
  -- JSON.
  changes TEXT NOT NULL,
  unable TEXT,
  -- NULL without a known price.
  saved_nano INTEGER,
  rewrite_nano INTEGER,
  PRIMARY KEY (request_id, is_shadow)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_effects_by_rule ON rule_effects (rule_id, created_at);
CREATE INDEX rule_effects_by_session ON rule_effects (session, created_at);
CREATE INDEX rule_effects_by_time ON rule_effects (created_at);
`
