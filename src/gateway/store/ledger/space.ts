// Pruning: deletes old rows and stored prompts, by time and by the size of the database on disk, and releases free pages.

import { nanoUsd } from '../../../shared/money/money.ts'
import { listParts } from '../part.ts'
import { type Db, freePages, statement } from '../sql/statement.ts'
import { pruneGit } from '../sums/git-usage.ts'
import { findSlot15m } from '../sums/rollup-columns.ts'
import { notePruned, type PrunedRow } from '../sums/session-sums.ts'

export interface PruneResult {
  deleted: number
  /** There are more rows to prune: call again. */
  more: boolean
}

const PRUNED_COLUMNS = 'seq, key_id, cost_nano, session, count'
const PRUNE_BATCH = 500
const PAGES_PER_STEP = 500
/** Free pages that are not released, because new rows will need them soon. */
const SPARE_FRACTION = 0.1
const SPARE_PAGES = 1_000

const prunable = statement<[number, number], PrunedRow>(
  `SELECT ${PRUNED_COLUMNS} FROM requests WHERE created_at < ? AND status <> 'running' ORDER BY created_at LIMIT ?`,
)
const remove = statement<[number]>('DELETE FROM requests WHERE seq = ?')
const addPruned = statement<[number, string]>(
  'UPDATE keys SET pruned_nano = pruned_nano + CAST(? AS INTEGER) WHERE id = ?',
)
const oldest = statement<[number], PrunedRow>(`
  SELECT ${PRUNED_COLUMNS} FROM requests WHERE status <> 'running' ORDER BY seq LIMIT ?`)
const ends = statement<[], { first: number | null; last: number | null }>(
  'SELECT (SELECT min(seq) FROM requests) AS first, (SELECT max(seq) FROM requests) AS last',
)
const someBodies = statement<[number]>(
  'DELETE FROM request_bodies WHERE seq IN (SELECT seq FROM request_bodies LIMIT ?)',
)

const removeBodies = statement<[string]>(
  'DELETE FROM request_bodies WHERE seq = (SELECT seq FROM requests WHERE id = ?)',
)

const IS_EMPTY = `
  pruned_requests >= requests + refused
  AND NOT EXISTS (SELECT 1 FROM requests WHERE session = sessions.nr AND status = 'running')`
const removeIfEmpty = statement<[number]>(`DELETE FROM sessions WHERE nr = ? AND ${IS_EMPTY}`)
const removeOldSessions = statement<[number]>(`DELETE FROM sessions WHERE last_at < ? AND ${IS_EMPTY}`)

/**
 * Deletes settled rows created before `before`, rounded down to a 15-minute slot, because sums at the edges of a range are
 * made from the rows of whole slots. Deletes at most `max` rows in one call, so that no charge waits long. Totals do not
 * change.
 */
export function pruneRequests(db: Db, { before, max }: { before: number; max?: number }): PruneResult {
  const limit = max ?? PRUNE_BATCH
  const rows = prunable(db).all(findSlot15m(before), limit)
  removeRows(db, rows)
  return { deleted: rows.length, more: rows.length === limit }
}

/** Deletes rows of the log; what was charged for them stays counted. Returns their sessions. */
function removeRows(db: Db, rows: readonly PrunedRow[]): number[] {
  const perKey = new Map<string, number>()
  for (const row of rows) {
    remove(db).run(row.seq)
    if (row.cost_nano) perKey.set(row.key_id, (perKey.get(row.key_id) ?? 0) + row.cost_nano)
  }
  for (const [keyId, nano] of perKey) addPruned(db).run(nanoUsd(nano), keyId)
  return notePruned(db, rows)
}

/**
 * Deletes the oldest settled rows, in the order of their arrival, while the database is larger than `maxBytes`: at most
 * `max` in one call, and no more than their average size suggests are needed.
 */
export function pruneToSize(
  db: Db,
  { maxBytes, max = PRUNE_BATCH }: { maxBytes: number; max?: number },
): PruneResult {
  const used = usedBytes(db)
  if (used <= maxBytes) return { deleted: 0, more: false }
  const { first = null, last = null } = ends(db).get() ?? {}
  if (first === null || last === null) return { deleted: 0, more: false }
  const needed = Math.ceil(((last - first + 1) * (used - maxBytes)) / used)
  const rows = oldest(db).all(Math.min(needed, max))
  // Sessions without rows of their own would take the space that others need.
  for (const session of removeRows(db, rows)) removeIfEmpty(db).run(session)
  return { deleted: rows.length, more: rows.length > 0 && usedBytes(db) > maxBytes }
}

/** Deletes sessions whose last request was made before `before`, and whose requests have no rows any more. */
export function pruneSessions(db: Db, { before }: { before: number }): void {
  removeOldSessions(db).run(before)
  pruneGit(db, before)
}

/** Deletes up to `max` stored prompts and answers. The requests themselves stay. */
export function deleteBodies(db: Db, { max }: { max?: number } = {}): PruneResult {
  const limit = max ?? PRUNE_BATCH
  const { changes } = someBodies(db).run(limit)
  return { deleted: changes, more: changes === limit }
}

/** Deletes the stored prompt and answer of a request. Returns false if it has none. */
export function deleteRequestBodies(db: Db, requestId: string): boolean {
  return removeBodies(db).run(requestId).changes > 0
}

/** Releases some free pages to the file system. `all`: also the spare ones. */
export function releaseFreePages(db: Db, { all }: { all: boolean }): { more: boolean } {
  const spare = all ? 0 : Math.max(SPARE_PAGES, pageCount(db) * SPARE_FRACTION)
  const surplus = Math.floor(freePages(db) - spare)
  if (surplus <= 0) return { more: false }
  db.pragma(`incremental_vacuum(${Math.min(surplus, PAGES_PER_STEP)})`)
  return { more: surplus > PAGES_PER_STEP }
}

function usedBytes(db: Db): number {
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  const bytes = (pageCount(db) - freePages(db)) * pageSize
  return listParts().reduce((rest, part) => rest - (part.countBytes?.(db) ?? 0), bytes)
}

function pageCount(db: Db): number {
  return Number(db.pragma('page_count', { simple: true }))
}
