// The tasks on backups while the store is open. Each runs in a separate thread, because reading a whole copy takes long.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import type { ActivityActor } from '../../../shared/api/activity.ts'
import {
  type BackupFile,
  findFault,
  finishBackup,
  listBackups,
  openBackupDir,
  readPendingRestore,
  removePendingRestore,
  writeBackupInSteps,
  writePendingRestore,
} from './backup.ts'
import { hasDatabaseHeader, withConnection } from './connection.ts'
import { backupDir, createPrivateFile, removeDatabase } from './files.ts'
import { migrate, migrations, schemaVersion } from './migrations.ts'
import { type Db, statement } from './statement.ts'
import { isReplacedView } from './views.ts'

export interface StoredBackup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
  /** The user imported it. */
  imported: boolean
}

export interface StoredBackups {
  /** Newest first. */
  backups: StoredBackup[]
  /** The one that replaces the database at the next start; null for none. */
  restoreAtStart: string | null
}

/** Why the restore of a backup was not scheduled. */
export type RestoreRefusal =
  | { reason: 'unknown' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }

/** Why a file was not imported. */
export type ImportRefusal =
  | { reason: 'foreign' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }

export type BackupTask =
  | { do: 'create' | 'list' | 'import' }
  | { do: 'scheduleRestore'; id: string; by?: ActivityActor | undefined }
  | { do: 'cancelRestore'; id: string }

export function runBackupTask(dataDir: string, task: BackupTask, now: number) {
  switch (task.do) {
    case 'create':
      return writeBackupInSteps(dataDir, now).then(toStoredBackup)
    case 'list':
      return list(dataDir)
    case 'import':
      return adoptImport(dataDir, now)
    case 'scheduleRestore':
      return scheduleRestore(dataDir, task, now)
    case 'cancelRestore':
      return cancelRestore(dataDir, task.id)
  }
}

function list(dataDir: string): StoredBackups {
  return {
    backups: listBackups(dataDir).map(toStoredBackup),
    restoreAtStart: readPendingRestore(dataDir)?.backup ?? null,
  }
}

/** The id is only compared with the existing ones: it never becomes part of a path. */
function scheduleRestore(
  dataDir: string,
  { id, by }: { id: string; by?: ActivityActor | undefined },
  now: number,
): StoredBackups | RestoreRefusal {
  const backup = listBackups(dataDir).find((each) => each.id === id)
  if (!backup) return { reason: 'unknown' }
  const fault = findFault(backup.path)
  if (fault) return { reason: fault.kind, detail: fault.detail }
  writePendingRestore(dataDir, { backup: id, markedAt: now, by })
  return list(dataDir)
}

/** Also for a backup that was removed after its restore was scheduled. */
function cancelRestore(dataDir: string, id: string): StoredBackups | RestoreRefusal {
  const pending = readPendingRestore(dataDir)?.backup
  if (pending === id) removePendingRestore(dataDir)
  else if (!listBackups(dataDir).some((each) => each.id === id)) return { reason: 'unknown' }
  return list(dataDir)
}

function adoptImport(dataDir: string, now: number): StoredBackup | ImportRefusal {
  const adopted = adoptUpload(dataDir, now)
  if ('id' in adopted) return toStoredBackup(adopted)
  return adopted
}

function toStoredBackup({ id, madeAt, bytes, imported }: StoredBackup): StoredBackup {
  return { id, madeAt, bytes, imported }
}

// Backups that the user brings as a file. A file becomes one only after it was checked.

const UPLOADED_FILE = 'uploaded.db'
/** The tables of every version. */
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
function adoptUpload(dataDir: string, now: number): BackupFile | Refusal {
  const path = join(backupDir(dataDir), UPLOADED_FILE)
  if (!hasDatabaseHeader(path)) return { reason: 'foreign' }
  const fault = findFault(path)
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

// Whether a file has the tables that Tollgate makes, and nothing else: a trigger, a constraint or a virtual table of someone
// else could do anything with a change of a row, and without a column no start would succeed.

interface Entry {
  type: string
  name: string
  tbl_name: string
  /** Null for the index of a constraint. */
  sql: string | null
}

/** SQLite adds its own tables: for AUTOINCREMENT, and to plan queries. */
const schema = statement<[], Entry>(`
  SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name`)

/** Compares with what the migrations up to its own version make. Throws a StoreError for a newer one. */
function hasOwnSchema(db: Db): boolean {
  const fresh = new Sqlite(':memory:')
  try {
    migrate(fresh, 0, migrations.slice(0, schemaVersion(db)))
    return isDeepStrictEqual(withoutViews(db), withoutViews(fresh))
  } finally {
    fresh.close()
  }
}

/** Each start replaces the views. */
function withoutViews(db: Db): Entry[] {
  return schema(db)
    .all()
    .filter(({ type, name }) => !(type === 'view' && isReplacedView(name)))
}
