// Stored comparisons of the log with the exports of providers. They outlive the requests that they are about.
import type { StorePart } from '../../../gateway/store/part.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { created, defineTable, type RowOf } from '../../../gateway/store/sql/table.ts'
import { IS_SETTLED } from '../../../gateway/store/sums/rollup-columns.ts'
import type { CostStatus } from '../../../shared/api/requests.ts'

/** Both parts are JSON: lists read only the summaries. */
const FIELDS = {
  id: created<string>(),
  createdAt: created<number>(),
  summary: created<string>(),
  details: created<string>(),
}

const table = defineTable('reconciliations', FIELDS)
const one = table.select<[string]>('WHERE id = ?')
const summaries = statement<[], { summary: string }>(
  'SELECT summary FROM reconciliations ORDER BY created_at DESC, id DESC',
)
const remove = statement<[string]>('DELETE FROM reconciliations WHERE id = ?')

const putReconciliation = table.insert('INSERT OR REPLACE')

/** The newest first. */
function listReconciliations(db: Db): string[] {
  return summaries(db)
    .all()
    .map(({ summary }) => summary)
}

function getReconciliation(db: Db, id: string): RowOf<typeof FIELDS> | null {
  return one(db, id)[0] ?? null
}

/** Returns false for an unknown one. */
function deleteReconciliation(db: Db, id: string): boolean {
  return remove(db).run(id).changes > 0
}

// The requests that a provider may have billed, as far as a comparison with its own records needs them.

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

/** The first versions of the app had it among the tables of the core. */
const TABLE = `
-- Comparisons with the exports of providers. JSON.
CREATE TABLE IF NOT EXISTS reconciliations (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
`

export const reconciliationRows = {
  name: 'reconcile',
  migrations: [TABLE],
  writes: { putReconciliation, deleteReconciliation },
  reads: { getReconciliation, listReconciliations },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof reconciliationRows.writes> {}
  interface Reads extends Readonly<typeof reconciliationRows.reads> {}
}
