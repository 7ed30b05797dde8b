import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'

/** A database that its program has open during the test, with all its content in the write-ahead log. */
export function openOtherDatabase(path: string, tables: string) {
  mkdirSync(dirname(path), { recursive: true })
  const db = new Sqlite(path)
  onTestFinished(() => {
    db.close()
  })
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec(tables)
  return {
    exec(sql: string): void {
      db.exec(sql)
    },
    insert(table: string, ...rows: string[][]): void {
      for (const row of rows)
        db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join()})`).run(row)
    },
    /** Moves the content of the log to the database. */
    checkpoint(): void {
      db.pragma('wal_checkpoint(TRUNCATE)')
    },
  }
}
