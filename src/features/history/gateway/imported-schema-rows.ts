// The tables of calls that agents have logged on this computer. They are in no limit and no total of the gateway.
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'

const CALLS = `
CREATE TABLE imported_calls (
  seq INTEGER PRIMARY KEY,
  tool TEXT NOT NULL,
  -- What the logs of the tool know the call by.
  identity TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  model TEXT NOT NULL,
  -- By the tool's own name.
  provider TEXT,
  session TEXT NOT NULL,
  -- The sub-agent; NULL for the main one.
  agent TEXT,
  -- A folder.
  project TEXT,
  branch TEXT,
  -- 1, but for sums of tools that logged no single calls.
  calls INTEGER NOT NULL,
  -- Disjoint, except that reasoning is part of the output.
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write5m INTEGER NOT NULL,
  cache_write1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  tier TEXT,
  -- Whether the cache writes are divided by their lifetimes.
  is_split INTEGER NOT NULL CHECK (is_split IN (0, 1)),
  -- NULL without a known price.
  cost_nano INTEGER CHECK (cost_nano >= 0),
  -- 'day': the price list has prices by date, and it is that of the call's. Otherwise the day of the price list.
  price_of TEXT,
  -- The id that the tool got with the answer.
  answer_id TEXT,
  -- The request of this gateway that is the same call.
  request_id TEXT,
  -- What a call of a sub-agent has in common with the main agent's call that it repeats.
  content TEXT,
  -- NULL for a call that counts.
  not_counted TEXT CHECK (not_counted IN ('metered', 'repeated', 'uncertain')),
  UNIQUE (tool, identity)
) STRICT;
CREATE INDEX imported_calls_by_time ON imported_calls (created_at);
CREATE INDEX imported_calls_by_session ON imported_calls (tool, session);
CREATE INDEX imported_calls_by_content ON imported_calls (content) WHERE content IS NOT NULL;
CREATE INDEX imported_calls_by_request ON imported_calls (request_id) WHERE request_id IS NOT NULL;

-- The files that were read, as they were then.
CREATE TABLE imported_files (
  path TEXT PRIMARY KEY,
  tool TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_at REAL NOT NULL,
  -- Earlier calls were left out.
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/** The event in which an agent has sent the call; it is also the identity of one that no log has. */
const EVENTS = `
ALTER TABLE imported_calls ADD COLUMN event TEXT;
CREATE UNIQUE INDEX imported_calls_by_event ON imported_calls (event) WHERE event IS NOT NULL;
`

const columns = statement<[], { name: string }>("SELECT name FROM pragma_table_info('imported_calls')")

/** Creates what is missing: the core has created the tables in two steps at first. */
export function createImportedTables(db: Db): void {
  const names = columns(db)
    .all()
    .map(({ name }) => name)
  if (names.length === 0) db.exec(CALLS)
  if (!names.includes('event')) db.exec(EVENTS)
}
