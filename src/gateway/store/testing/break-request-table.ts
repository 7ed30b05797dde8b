import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Makes every statement on requests fail in a running gateway, as in a damaged database. */
export function breakRequestTable(dataDir: string): void {
  const db = new Sqlite(join(dataDir, 'tollgate.db'))
  db.pragma('legacy_alter_table = ON')
  db.exec('ALTER TABLE requests RENAME TO broken')
  db.close()
}
