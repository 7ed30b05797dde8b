// A data dir whose database is copied: its migrations take longer than most tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../compose/store-worker.ts'
import { silentLog } from '../platform/log.ts'
import { databasePath } from '../store/engine/files.ts'
import { openDatabase } from '../store/engine/open.ts'

let database: Buffer | null = null

/** Creates a data dir as a program leaves it that has only migrated its database. Every one has the same install id. */
export function createDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  database ??= createDatabase()
  writeFileSync(databasePath(dataDir), database, { mode: 0o600 })
  return dataDir
}

function createDatabase(): Buffer {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  openDatabase(dataDir, silentLog, Date.UTC(2026, 2, 10)).db.close()
  const bytes = readFileSync(databasePath(dataDir))
  rmSync(dataDir, { recursive: true })
  return bytes
}
