// Owns the copies in `backups/`: making them, checking them, listing them. Never touches the database in use.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connectAnd, damageOf } from './connection.ts'
import {
  backupDir,
  createPrivateFile,
  databasePath,
  lookAt,
  momentOf,
  removeDatabase,
  stamp,
  syncFile,
} from './files.ts'
import { type Migration, migrations, schemaVersion } from './migrations.ts'
import { readMark } from './restore-mark.ts'
import { StoreError, toStoreError } from './store-error.ts'

const KEPT = 7
const UNFINISHED = 'unfinished.db'

export interface BackupFile {
  /** Its file name. */
  id: string
  path: string
  madeAt: number
  bytes: number
}

/** Why a file cannot become the database. */
export interface Fault {
  kind: 'damaged' | 'newer'
  detail: string
}

/**
 * Copies the database, checks the copy and keeps the newest few, and the one that is to be restored. Reads one
 * snapshot through a connection of its own, so others go on writing.
 */
export function makeBackup(dataDir: string, now: number): BackupFile {
  const dir = openBackupDir(dataDir)
  const unfinished = join(dir, UNFINISHED)
  removeDatabase(unfinished)
  try {
    // VACUUM INTO takes an empty file as its target, so the copy is private from its first byte.
    createPrivateFile(unfinished)
    connectAnd(databasePath(dataDir), (db) => db.prepare<[string]>('VACUUM INTO ?').run(unfinished))
    const damage = damageOf(unfinished, 'integrity_check')
    if (damage) throw new StoreError('corrupt', `The backup was not good: ${damage}`)
    const id = nameOf(now)
    const path = join(dir, id)
    // SQLite does not sync what VACUUM INTO writes: https://www.sqlite.org/lang_vacuum.html
    syncFile(unfinished)
    renameSync(unfinished, path)
    syncFile(path)
    dropOld(dataDir)
    return { id, path, madeAt: now, bytes: lookAt(path)?.size ?? 0 }
  } finally {
    removeDatabase(unfinished)
  }
}

function dropOld(dataDir: string): void {
  const wanted = readMark(dataDir)?.backup
  for (const old of listBackups(dataDir).slice(KEPT)) {
    if (old.id !== wanted) rmSync(old.path, { force: true })
  }
}

/** All backups, newest first. */
export function listBackups(dataDir: string): BackupFile[] {
  if (!lookAt(backupDir(dataDir))) return []
  const dir = openBackupDir(dataDir)
  return readdirSync(dir)
    .sort()
    .reverse()
    .flatMap((id) => {
      const madeAt = madeAtOf(id)
      const path = join(dir, id)
      return madeAt === null ? [] : [{ id, path, madeAt, bytes: lookAt(path)?.size ?? 0 }]
    })
}

/** Why what is at `path` cannot become the database; null when it can. Reads all of it. */
export function faultOf(path: string, known: readonly Migration[] = migrations): Fault | null {
  const detail = lookAt(path)?.isFile() ? damageOf(path, 'integrity_check') : 'it is not a plain file'
  if (detail !== null) return { kind: 'damaged', detail }
  try {
    connectAnd(path, (db) => schemaVersion(db, known))
    return null
  } catch (thrown) {
    const { code, message } = toStoreError(thrown)
    if (code === 'newer') return { kind: 'newer', detail: message }
    throw thrown
  }
}

function openBackupDir(dataDir: string): string {
  const dir = backupDir(dataDir)
  mkdirSync(dir, { mode: 0o700, recursive: true })
  if (!lookAt(dir)?.isDirectory()) throw new StoreError('failed', `${dir} is not a folder.`)
  chmodSync(dir, 0o700)
  return dir
}

function nameOf(now: number): string {
  return `tollgate-${stamp(now)}.db`
}

/** When a backup was made, by its file name; null for a file that is none. */
export function madeAtOf(name: string): number | null {
  const text = /^tollgate-(.+)\.db$/.exec(name)?.[1]
  return text === undefined ? null : momentOf(text)
}
