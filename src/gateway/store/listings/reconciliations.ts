// Stored comparisons of the log with the exports of providers. They outlive the requests that they are about.
import { type Db, statement } from '../sql/statement.ts'
import { created, defineTable, type RowOf } from '../sql/table.ts'

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

export const putReconciliation = table.insert('INSERT OR REPLACE')

/** The newest first. */
export function listReconciliations(db: Db): string[] {
  return summaries(db)
    .all()
    .map(({ summary }) => summary)
}

export function getReconciliation(db: Db, id: string): RowOf<typeof FIELDS> | null {
  return one(db, id)[0] ?? null
}

/** Returns false for an unknown one. */
export function deleteReconciliation(db: Db, id: string): boolean {
  return remove(db).run(id).changes > 0
}
