// The requests that a provider may have billed, as far as a comparison with its own records needs them.
import type { CostStatus } from '../../shared/api/requests.ts'
import { connectReader } from './engine/connection.ts'
import { databasePath } from './engine/files.ts'
import { type Db, statement } from './sql/statement.ts'
import { IS_SETTLED } from './sums/rollup-columns.ts'

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

const billed = statement<[string, number, number], BilledRequest>(`
  SELECT seq, created_at AS createdAt, created_at + ifnull(total_us, 0) / 1000 AS endedAt,
    ifnull(model, requested_model) AS model, tokens_in AS tokensIn, tokens_out AS tokensOut, cost_nano AS costNano,
    cost_status AS costStatus
  FROM requests
  WHERE provider = ? AND created_at >= CAST(? AS INTEGER) AND created_at < CAST(? AS INTEGER)
    AND ${IS_SETTLED} AND cost_status <> 'free'
  ORDER BY created_at, seq`)

const idOfSeq = statement<[number], { id: string }>('SELECT id FROM requests WHERE seq = ?')

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
  return billed(db).all(provider, from, to)
}

/** The ids of rows. */
export function readIds(db: Db, seqs: readonly number[]): Map<number, string> {
  const ids = new Map<number, string>()
  for (const seq of new Set(seqs)) {
    const row = idOfSeq(db).get(seq)
    if (row) ids.set(seq, row.id)
  }
  return ids
}
