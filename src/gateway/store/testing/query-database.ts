import Sqlite from 'better-sqlite3'
import { databasePath } from '../engine/files.ts'
import type { SqlValue } from '../sql/statement.ts'

/** The rows of a query on the database of a data folder, which a gateway may have open. */
export function queryDatabase<Row>(dataDir: string, sql: string, ...params: SqlValue[]): Row[] {
  const db = new Sqlite(databasePath(dataDir), { readonly: true })
  try {
    return db.prepare<SqlValue[], Row>(sql).all(...params)
  } finally {
    db.close()
  }
}
