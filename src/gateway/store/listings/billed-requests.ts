// The requests that a provider may have billed, as far as a comparison with its own records needs them.
import type { CostStatus } from '../../../shared/api/requests.ts'
import { connectReader } from '../engine/connection.ts'
import { databasePath } from '../engine/files.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { COST_STATUS_CODES, decodeId, readCostStatus, STATUS_CODES } from '../ledger/request-codecs.ts'
import { getTexts } from '../ledger/session-numbers.ts'

export interface BilledRequest {
  seq: number
  createdAt: number
  endedAt: number
  model: string
  tokensIn: number
  tokensOut: number
  /** Null if the model has no price. */
  costNano: number | null
  costStatus: CostStatus
}

type BilledRow = Omit<BilledRequest, 'model' | 'costStatus'> & { model: SqlValue; costStatus: number }

const billed = statement<[SqlValue, number, number], BilledRow>(`
  SELECT seq, created_at AS createdAt, created_at + ifnull(total_us, 0) / 1000 AS endedAt,
    ifnull(model, requested_model) AS model, tokens_in AS tokensIn, tokens_out AS tokensOut, cost_nano AS costNano,
    cost_status AS costStatus
  FROM requests INDEXED BY requests_by_provider
  WHERE provider = ? AND created_at >= CAST(? AS INTEGER) AND created_at < CAST(? AS INTEGER)
    AND status <> ${STATUS_CODES.refused} AND cost_status <> ${COST_STATUS_CODES.free}
  ORDER BY created_at, seq`)

const idOfSeq = statement<[number], { id: SqlValue }>('SELECT id FROM requests WHERE seq = ?')

/** Opens the database for another thread than the store's own. Call `close` of the result when it is no longer needed. */
export function openForReading(dataDir: string): Db {
  return connectReader(databasePath(dataDir))
}

/** In the order of their time; `to` is exclusive. */
export function billedRequests(
  db: Db,
  provider: string,
  { from, to }: { from: number; to: number },
): BilledRequest[] {
  const texts = getTexts(db)
  return billed(db)
    .all(texts.find(provider), from, to)
    .map(({ model, costStatus, ...row }) => ({
      ...row,
      model: texts.getText(model),
      costStatus: readCostStatus(costStatus),
    }))
}

/** The ids of rows. */
export function readIds(db: Db, seqs: readonly number[]): Map<number, string> {
  const ids = new Map<number, string>()
  for (const seq of new Set(seqs)) {
    const row = idOfSeq(db).get(seq)
    if (row) ids.set(seq, decodeId(row.id))
  }
  return ids
}
