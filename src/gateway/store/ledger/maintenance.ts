// Settling interrupted requests after a crash, pruning, checking totals.
import { isPlan } from '../../../shared/api/terms.ts'
import { nanoUsd, subtractUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { getRequest } from '../listings/request-log.ts'
import { decodeRow, type EncodedRow, REQUEST_COLUMNS, type StoredRequest } from '../rows/request-columns.ts'
import { type Db, statement } from '../sql/statement.ts'
import { findSlot15m, type RollupTable } from '../sums/rollup-columns.ts'
import { readSums } from '../sums/rollup-query.ts'
import { notePruned, type PrunedRow } from '../sums/session-sums.ts'
import { readAccountSpend } from '../sums/spend-sums.ts'
import { getHoldEnd, type Settlement, settleRequest } from './ledger.ts'

export interface PruneResult {
  deleted: number
  /** There are more rows to prune: call again. */
  more: boolean
}

/** Two totals that should agree and do not. */
export interface Discrepancy {
  what: string
  keyId: string | null
  expectedNano: number
  foundNano: number
}

export const PRUNED_COLUMNS = 'seq, key_id, cost_nano, session, count'

interface KeyTotal {
  key_id: string
  nano: number
}

const PRUNE_BATCH = 500

const running = statement<[], EncodedRow>(
  `SELECT ${REQUEST_COLUMNS} FROM requests WHERE status <> 'succeeded' AND status = 'running' ORDER BY seq`,
)
/** Whether the requests of these claims took effect is not known. */
const markClaimsUnknown = statement<[]>("UPDATE idempotency SET state = 'unknown' WHERE state = 'running'")
const prunable = statement<[number, number], PrunedRow>(
  `SELECT ${PRUNED_COLUMNS} FROM requests WHERE created_at < ? AND status <> 'running' ORDER BY created_at LIMIT ?`,
)
const remove = statement<[number]>('DELETE FROM requests WHERE seq = ?')
const addPruned = statement<[number, string]>(
  'UPDATE keys SET pruned_nano = pruned_nano + CAST(? AS INTEGER) WHERE id = ?',
)
const keyTotals = statement<[], { id: string; spend_nano: number; pruned_nano: number }>(
  'SELECT id, spend_nano, pruned_nano FROM keys',
)
const rowTotals = statement<[], KeyTotal>(
  'SELECT key_id, sum(cost_nano) AS nano FROM requests GROUP BY key_id',
)
/** The expected spend of the sessions on requests that still have rows. */
const sessionTotals = statement<[], KeyTotal>(
  'SELECT key_id, sum(cost_nano - pruned_nano) AS nano FROM sessions GROUP BY key_id',
)
const rowsInSessions = statement<[], KeyTotal>(`
  SELECT key_id, sum(nano) AS nano FROM (
    SELECT session, sum(cost_nano) AS nano FROM requests
    WHERE session IS NOT NULL GROUP BY session)
  JOIN sessions ON nr = session GROUP BY key_id`)

/**
 * To be called once at start, before any request: settles the requests that a process left running when it ended. Each
 * is charged its estimate (nothing when it has no price), between nothing and all that was reserved, the rest of which is
 * held.
 */
export function settleAbandoned(db: Db, { now }: { now: number }): StoredRequest[] {
  const settled = running(db)
    .all()
    .map((row) => {
      const request = decodeRow(row)
      settleRequest(db, settlementOfAbandoned(db, request, now))
      return getRequest(db, request.id) ?? request
    })
  markClaimsUnknown(db).run()
  return settled
}

/** Values recorded before the end of the process stay unchanged. */
function settlementOfAbandoned(db: Db, request: StoredRequest, now: number): Settlement {
  const { estimateNano, reservedNano } = request
  const highNano = nanoUsd(Math.max(reservedNano, estimateNano ?? 0))
  const settlement = {
    ...request,
    status: 'failed',
    error: {
      type: 'server_error',
      message: 'Tollgate stopped while this request was running, so its outcome is unknown.',
      code: 'outcome_unknown',
    },
    costNano: estimateNano,
    settledAt: now,
  } as const
  if (isPlan(request.provider))
    return { ...settlement, costNano: ZERO_USD, costStatus: 'plan', costLowNano: null, costHighNano: null }
  if (estimateNano === null)
    return { ...settlement, costStatus: 'unknown', costLowNano: null, costHighNano: null }
  const hold = { nano: subtractUsd(highNano, estimateNano), until: getHoldEnd(db, request.keyId, now) }
  return { ...settlement, costStatus: 'unsettled', costLowNano: ZERO_USD, costHighNano: highNano, hold }
}

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
export function removeRows(db: Db, rows: readonly PrunedRow[]): number[] {
  const perKey = new Map<string, number>()
  for (const row of rows) {
    remove(db).run(row.seq)
    if (row.cost_nano) perKey.set(row.key_id, (perKey.get(row.key_id) ?? 0) + row.cost_nano)
  }
  for (const [keyId, nano] of perKey) addPruned(db).run(nanoUsd(nano), keyId)
  return notePruned(db, rows)
}

/**
 * Compares each key's spend with its rows, its 15-minute and daily rollups, and the account's with the sum of all keys'.
 * Reads the whole ledger.
 */
export function checkTotals(db: Db): Discrepancy[] {
  return db.transaction(() => {
    const perKey = (totals: KeyTotal[]) => new Map(totals.map(({ key_id, nano }) => [key_id, nano]))
    const rows = perKey(rowTotals(db).all())
    const readTotals = (table: RollupTable) =>
      perKey(
        readSums<KeyTotal>(db, { source: table, by: { key_id: 'key_id' }, sums: { nano: 'sum(cost_nano)' } }),
      )
    const slots = readTotals('rollups')
    const days = readTotals('day_sums')
    const found: Discrepancy[] = []
    const ofSessions = perKey(sessionTotals(db).all())
    const inSessions = perKey(rowsInSessions(db).all())
    const compare = (what: string, keyId: string | null, expectedNano: number, foundNano: number) => {
      if (expectedNano !== foundNano) found.push({ what, keyId, expectedNano, foundNano })
    }
    let total = 0
    for (const key of keyTotals(db).all()) {
      total += key.spend_nano
      compare('request rows', key.id, key.spend_nano, (rows.get(key.id) ?? 0) + key.pruned_nano)
      compare('15-minute rollups', key.id, key.spend_nano, slots.get(key.id) ?? 0)
      compare('daily rollups', key.id, key.spend_nano, days.get(key.id) ?? 0)
      compare('sessions', key.id, inSessions.get(key.id) ?? 0, ofSessions.get(key.id) ?? 0)
    }
    compare('account', null, total, readAccountSpend(db))
    return found
  })()
}
