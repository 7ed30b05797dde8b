// The requests that a provider may have billed, as far as a comparison with its own records needs them.
import type { StorePart } from '../../../gateway/store/part.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { IS_SETTLED } from '../../../gateway/store/sums/rollup-columns.ts'
import type { CostStatus } from '../../../shared/api/requests.ts'
import type { Entry } from './read-export.ts'

/** A request of the log, dated by its start. `costNano` is null if the model has no price. */
export interface BilledRequest extends Entry {
  id: string
  model: string
  endedAt: number
  costStatus: CostStatus
}

// A cost that is computed here is rounded once: by half a nano-dollar.
const billed = statement<[string, number, number], BilledRequest>(`
  SELECT id, created_at AS at, created_at + ifnull(total_us, 0) / 1000 AS endedAt,
    ifnull(model, requested_model) AS model, 1 AS requests, tokens_in AS tokensIn, tokens_out AS tokensOut,
    cost_nano AS costNano, 0.5 AS error, cost_status AS costStatus
  FROM requests
  WHERE provider = ? AND created_at >= CAST(? AS INTEGER) AND created_at < CAST(? AS INTEGER)
    AND ${IS_SETTLED} AND cost_status <> 'free'
  ORDER BY created_at, seq`)

/** In the order of their time; `to` is exclusive. */
export function listBilledRequests(db: Db, provider: string, from: number, to: number): BilledRequest[] {
  return billed(db).all(provider, from, to)
}

/** Comparisons were stored once. */
const CREATE = `
-- Comparisons with the exports of providers. JSON.
CREATE TABLE IF NOT EXISTS reconciliations (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
`
const DROP = 'DROP TABLE reconciliations'

export const reconciliationRows = {
  name: 'reconcile',
  migrations: [CREATE, DROP],
} satisfies StorePart
