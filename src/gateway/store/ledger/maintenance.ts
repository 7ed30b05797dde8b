// Settling interrupted requests after a crash, and checking totals.
import { isPlan } from '../../../shared/api/terms.ts'
import { nanoUsd, subtractUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { getRequest } from '../listings/request-log.ts'
import { decodeRow, type EncodedRow, REQUEST_COLUMNS, type StoredRequest } from '../rows/request-columns.ts'
import { type Db, statement } from '../sql/statement.ts'
import { readSums } from '../sums/rollup-query.ts'
import { readAccountSpend } from '../sums/spend-sums.ts'
import { getHoldEnd, type Settlement, settleRequest } from './ledger.ts'

/** Two totals that should agree and do not. */
export interface Discrepancy {
  what: string
  keyId: string | null
  expectedNano: number
  foundNano: number
}

const running = statement<[], EncodedRow>(
  `SELECT ${REQUEST_COLUMNS} FROM requests WHERE status <> 'succeeded' AND status = 'running' ORDER BY seq`,
)
/** Whether the requests of these claims took effect is not known. */
const markClaimsUnknown = statement<[]>("UPDATE idempotency SET state = 'unknown' WHERE state = 'running'")
const keyTotals = statement<[], { id: string; spend_nano: number; pruned_nano: number }>(
  'SELECT id, spend_nano, pruned_nano FROM keys',
)
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
 * Compares each key's spend with its rows, its 15-minute and daily rollups, and the account's with the sum of all keys'.
 * Reads the whole ledger.
 */
export function checkTotals(db: Db): Discrepancy[] {
  return db.transaction(() => {
    const readTotals = (source: string, time = 'bucket', sum = 'sum(cost_nano)', key = 'key_id') => {
      const totals = readSums<{ id: string; nano: number }>(db, {
        source,
        time,
        by: { id: key },
        sums: { nano: sum },
      })
      return new Map(totals.map(({ id, nano }) => [id, nano]))
    }
    const rows = readTotals('requests', 'created_at')
    const slots = readTotals('rollups')
    const days = readTotals('day_sums')
    // The spend of sessions on requests that still have rows.
    const ofSessions = readTotals('sessions', 'started_at', 'sum(cost_nano - pruned_nano)')
    const inSessions = readTotals(
      'requests JOIN sessions ON nr = session',
      'created_at',
      'sum(requests.cost_nano)',
      'sessions.key_id',
    )
    const found: Discrepancy[] = []
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
