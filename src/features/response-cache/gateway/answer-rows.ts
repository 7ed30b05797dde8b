// The response cache: sealed answers that a key's later requests may get instead of a provider's. Triggers keep the bytes of each
// key in `cache_sizes`, so that an answer finds its room without adding up all others.
import type { StorePart } from '../../../gateway/store/part.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'

interface CachedAnswer {
  /** A hash of the request that only its key's secret can compute. */
  id: Uint8Array
  createdAt: number
  /** Opaque here. */
  sealed: Uint8Array
}

/** What a settled request changes: it stores its own answer, or has repeated a stored one. */
type CacheChange = { put: CachedAnswer; keyId: string; maxBytes: number } | { used: Uint8Array; at: number }

const find = statement<[Uint8Array, number, number], CachedAnswer>(`
  SELECT id, created_at AS createdAt, sealed FROM cached_answers WHERE id = ? AND created_at > ? AND created_at <= ?`)
const use = statement<[number, Uint8Array]>('UPDATE cached_answers SET used_at = ? WHERE id = ?')
const remove = statement<[Uint8Array]>('DELETE FROM cached_answers WHERE id = ?')
const insert = statement<[Uint8Array, string, number, number, Uint8Array]>(
  'INSERT INTO cached_answers (id, key_id, created_at, used_at, sealed) VALUES (?, ?, ?, ?, ?)',
)
const size = statement<[string], { bytes: number }>('SELECT bytes FROM cache_sizes WHERE key_id = ?')
const limit = statement<[string], { maxBytes: number | null }>(
  "SELECT response_cache ->> '$.maxBytes' AS maxBytes FROM keys WHERE id = ? AND revoked_at IS NULL",
)
const sizeOfAll = statement<[], { bytes: number }>('SELECT coalesce(sum(bytes), 0) AS bytes FROM cache_sizes')
const removeOldest = statement<[string]>(`
  DELETE FROM cached_answers WHERE rowid = (
    SELECT rowid FROM cached_answers WHERE key_id = ? ORDER BY used_at LIMIT 1)`)
const removeAll = statement<[string]>('DELETE FROM cached_answers WHERE key_id = ?')
const removeExpired = statement<[{ now: number }]>(`
  DELETE FROM cached_answers WHERE created_at > @now OR created_at <= @now - 1000 * coalesce(
    (SELECT response_cache ->> '$.ttlSeconds' FROM keys WHERE id = key_id AND revoked_at IS NULL), 0)`)

/** The answer of this id, if it was stored after `after` and not after `now`. */
function findCachedAnswer(
  db: Db,
  { id, after, now }: { id: Uint8Array; after: number; now: number },
): CachedAnswer | null {
  return find(db).get(id, after, now) ?? null
}

function changeCache(db: Db, change: CacheChange): void {
  if ('used' in change) {
    use(db).run(change.at, change.used)
    return
  }
  const { put, keyId, maxBytes } = change
  remove(db).run(put.id)
  insert(db).run(put.id, keyId, put.createdAt, put.createdAt, put.sealed)
  limitCache(db, keyId, maxBytes)
}

/** The answers of a key whose cache was turned off are deleted, and those of one that was revoked. */
function keyChanged(db: Db, keyId: string): void {
  limitCache(db, keyId, limit(db).get(keyId)?.maxBytes ?? 0)
}

/** Deletes the answers of the key that were not used for the longest time, down to `maxBytes`. */
function limitCache(db: Db, keyId: string, maxBytes: number): void {
  if (maxBytes === 0) removeAll(db).run(keyId)
  while ((size(db).get(keyId)?.bytes ?? 0) > maxBytes && removeOldest(db).run(keyId).changes > 0);
}

/** Deletes the answers that are older than their keys allow. */
function sweep(db: Db, now: number): void {
  removeExpired(db).run({ now })
}

function countBytes(db: Db): number {
  return sizeOfAll(db).get()?.bytes ?? 0
}

/** The first versions of the app had them among the tables of the core. */
const TABLES = `
CREATE TABLE IF NOT EXISTS cached_answers (
  id BLOB PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS cached_answers_by_use ON cached_answers (key_id, used_at);

CREATE TABLE IF NOT EXISTS cache_sizes (
  key_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS cached_answer_added AFTER INSERT ON cached_answers BEGIN
  INSERT INTO cache_sizes VALUES (NEW.key_id, length(NEW.sealed))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS cached_answer_removed AFTER DELETE ON cached_answers BEGIN
  UPDATE cache_sizes SET bytes = bytes - length(OLD.sealed) WHERE key_id = OLD.key_id;
END;
`

export const answerRows = {
  name: 'response-cache',
  migrations: [TABLES],
  writes: { changeCache },
  reads: { findCachedAnswer },
  keyChanged,
  sweep,
  countBytes,
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof answerRows.writes> {}
  interface Reads extends Readonly<typeof answerRows.reads> {}
}
