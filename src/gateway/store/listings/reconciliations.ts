// Stored comparisons of the log with the exports of providers. They outlive the requests that they are about.
import { type Db, statement } from '../engine/statement.ts'

/** Both parts are JSON: lists read only the summaries. */
export interface StoredReconciliation {
  id: string
  createdAt: number
  summary: string
  details: string
}

const put = statement<[string, number, string, string]>(`
  INSERT OR REPLACE INTO reconciliations (id, created_at, summary, details) VALUES (?, CAST(? AS INTEGER), ?, ?)`)
const summaries = statement<[], { summary: string }>(
  'SELECT summary FROM reconciliations ORDER BY created_at DESC, id DESC',
)
const one = statement<[string], { summary: string; details: string }>(
  'SELECT summary, details FROM reconciliations WHERE id = ?',
)
const remove = statement<[string]>('DELETE FROM reconciliations WHERE id = ?')

export function putReconciliation(db: Db, { id, createdAt, summary, details }: StoredReconciliation): void {
  put(db).run(id, createdAt, summary, details)
}

/** The newest first. */
export function listReconciliations(db: Db): string[] {
  return summaries(db)
    .all()
    .map(({ summary }) => summary)
}

export function getReconciliation(
  db: Db,
  id: string,
): Pick<StoredReconciliation, 'summary' | 'details'> | null {
  return one(db).get(id) ?? null
}

/** Returns false for an unknown one. */
export function deleteReconciliation(db: Db, id: string): boolean {
  return remove(db).run(id).changes > 0
}
