// The tasks on backups while the store is open. Each runs in a separate thread, because reading a whole copy takes long.

import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import type { ActivityActor } from '../../../shared/api/activity.ts'
import { migrateParts } from '../part.ts'
import { readMeta } from '../sql/meta.ts'
import { type Db, statement } from '../sql/statement.ts'
import { toStoreError } from '../sql/store-error.ts'
import * as backups from './backup.ts'
import { hasDatabaseHeader, withConnection } from './connection.ts'
import { convertFile, isOlder } from './convert.ts'
import { type BackupKeys, readBackupKeys } from './foreign-backup.ts'
import { FIRST_SCHEMA, migrate, migrations, schemaVersion } from './migrations.ts'
import { isReplacedView } from './views.ts'

export interface StoredBackup extends backups.BackupFile {
  /** The keys that work in it; null unless it was imported. */
  keys: BackupKeys | null
}

export interface StoredBackups {
  /** Newest first. */
  backups: StoredBackup[]
  /** The one that replaces the database at the next start; null for none. */
  restoreAtStart: string | null
}

/** Why a backup is not restored or a file not imported. */
export type BackupRefusal = { reason: 'unknown' | 'foreign' } | backups.Fault

/** All tasks by name. They get the data dir, the time and their own arguments. */
export const backupTasks = {
  create,
  list,
  import: adoptUpload,
  scheduleRestore,
  cancelRestore,
}

type Tasks = typeof backupTasks
export type BackupTaskName = keyof Tasks
export type BackupTaskArgs<K extends BackupTaskName> =
  Parameters<Tasks[K]> extends [dataDir: string, now?: number, ...args: infer A] ? A : never
export type BackupTaskResult<K extends BackupTaskName> = Awaited<ReturnType<Tasks[K]>>

async function create(dataDir: string, now: number): Promise<StoredBackup> {
  return addKeys(await backups.writeBackupInSteps(dataDir, now))
}

function addKeys(backup: backups.BackupFile): StoredBackup {
  return { ...backup, keys: readBackupKeys(backup) }
}

function list(dataDir: string): StoredBackups {
  return {
    backups: backups.listBackups(dataDir).map(addKeys),
    restoreAtStart: backups.readPendingRestore(dataDir)?.backup ?? null,
  }
}

/** Who restores a backup, and whether the keys of an imported one stay valid. */
export interface RestoreChoice {
  by?: ActivityActor
  keepKeys?: boolean
}

/** The id is only compared with the existing ones: it never becomes part of a path. */
export function scheduleRestore(
  dataDir: string,
  now: number,
  id: string,
  choice: RestoreChoice = {},
): StoredBackups | { reason: 'unknown' } | backups.Fault {
  const backup = backups.listBackups(dataDir).find((each) => each.id === id)
  if (!backup) return { reason: 'unknown' }
  const fault = backups.findFault(backup.path)
  if (fault) return fault
  backups.writePendingRestore(dataDir, { backup: id, markedAt: now, ...choice })
  return list(dataDir)
}

/** Also for a backup that was removed after its restore was scheduled. */
function cancelRestore(dataDir: string, _now: number, id: string): StoredBackups | BackupRefusal {
  const pending = backups.readPendingRestore(dataDir)?.backup
  if (pending === id) backups.removePendingRestore(dataDir)
  else if (!backups.listBackups(dataDir).some((each) => each.id === id)) return { reason: 'unknown' }
  return list(dataDir)
}

// Backups that the user brings as a file. A file becomes one only after it was checked.

/** The tables of every version. */
const TABLES = ['account', 'keys', 'meta', 'providers', 'requests', 'rollups', 'settings']

const tables = statement<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
const newestMoment = statement<[], { at: number | null }>(`
  SELECT max(at) AS at FROM (
    SELECT max(created_at) AS at FROM requests
    UNION ALL SELECT max(max(created_at, ifnull(last_used_at, 0), ifnull(revoked_at, 0))) FROM keys
    UNION ALL SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'created_at')`)

/** Makes the uploaded file a backup. It gets the time of the newest entry in it, as nothing else tells when it was made. */
function adoptUpload(dataDir: string, now: number, path: string): StoredBackup | BackupRefusal {
  if (!hasDatabaseHeader(path)) return { reason: 'foreign' }
  const fault = backups.findFault(path)
  if (fault?.reason === 'damaged') return fault
  if (!withConnection(path, isTollgates)) return { reason: 'foreign' }
  if (fault) return fault
  if (!(isOlder(path) ? tryConvert(path) : withConnection(path, hasOwnSchema))) return { reason: 'foreign' }
  const madeAt = withConnection(path, (db) => newestMoment(db).get()?.at) ?? now
  return addKeys(backups.finishBackup(dataDir, path, { madeAt: Math.min(madeAt, now), imported: true }))
}

function isTollgates(db: Db): boolean {
  const names = new Set(
    tables(db)
      .all()
      .map(({ name }) => name),
  )
  return TABLES.every((name) => names.has(name)) && Boolean(readMeta(db, 'install_id'))
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

/** Copies what tables of an earlier version have into tables of this one. Returns false if it cannot. */
function tryConvert(path: string): boolean {
  try {
    convertFile(path)
    return true
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (error.code === 'failed' || error.code === 'conflict') return false
    throw error
  }
}

/** Compares with what the migrations up to its own version make. Throws a StoreError for a newer one. */
function hasOwnSchema(db: Db): boolean {
  const fresh = new Sqlite(':memory:')
  try {
    migrateParts(db)
    migrate(fresh, 0, migrations.slice(0, schemaVersion(db) - FIRST_SCHEMA))
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
