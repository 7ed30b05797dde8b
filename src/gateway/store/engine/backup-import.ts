// Backups that the user brings as a file. A file becomes one only after it was checked.
import { join } from 'node:path'
import { type BackupFile, faultOf, finishBackup, openBackupDir } from './backup.ts'
import { hasDatabaseHeader, withConnection } from './connection.ts'
import { backupDir, createPrivateFile, removeDatabase } from './files.ts'
import { hasOwnSchema } from './own-schema.ts'
import { type Db, statement } from './statement.ts'

const UPLOADED_FILE = 'uploaded.db'
/** In every version. */
const TABLES = ['account', 'keys', 'meta', 'providers', 'requests', 'rollups', 'settings']

const tables = statement<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
const installId = statement<[], { value: string }>("SELECT value FROM meta WHERE name = 'install_id'")
const newestMoment = statement<[], { at: number | null }>(`
  SELECT max(at) AS at FROM (
    SELECT max(created_at) AS at FROM requests
    UNION ALL SELECT max(max(created_at, ifnull(last_used_at, 0), ifnull(revoked_at, 0))) FROM keys
    UNION ALL SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'created_at')`)

/** Creates the private, empty file that an upload is written to. */
export function createUpload(dataDir: string): string {
  const path = join(openBackupDir(dataDir), UPLOADED_FILE)
  removeDatabase(path)
  createPrivateFile(path)
  return path
}

export function removeUpload(dataDir: string): void {
  removeDatabase(join(backupDir(dataDir), UPLOADED_FILE))
}

type Refusal = { reason: 'foreign' } | { reason: 'damaged' | 'newer'; detail: string }

/** Makes the uploaded file a backup. It gets the time of the newest entry in it, as nothing else tells when it was made. */
export function adoptUpload(dataDir: string, now: number): BackupFile | Refusal {
  const path = join(backupDir(dataDir), UPLOADED_FILE)
  if (!hasDatabaseHeader(path)) return { reason: 'foreign' }
  const fault = faultOf(path)
  if (fault?.kind === 'damaged') return { reason: 'damaged', detail: fault.detail }
  if (!withConnection(path, isTollgates)) return { reason: 'foreign' }
  if (fault) return { reason: 'newer', detail: fault.detail }
  if (!withConnection(path, hasOwnSchema)) return { reason: 'foreign' }
  const madeAt = withConnection(path, (db) => newestMoment(db).get()?.at) ?? now
  return finishBackup(dataDir, path, { madeAt: Math.min(madeAt, now), imported: true })
}

function isTollgates(db: Db): boolean {
  const names = new Set(
    tables(db)
      .all()
      .map(({ name }) => name),
  )
  return TABLES.every((name) => names.has(name)) && Boolean(installId(db).get()?.value)
}
