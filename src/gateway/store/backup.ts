// Owns the copies in `backups/`: making them, checking them, listing them. Never touches the database in use.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFile } from '../platform/durable-files.ts'
import { connectAnd, copySnapshot, damageOf, damageOfTables, freePages } from './connection.ts'
import {
  backupDir,
  createPrivateFile,
  databasePath,
  lstatOf,
  momentOf,
  removeDatabase,
  stamp,
} from './files.ts'
import { type Migration, migrations, schemaVersion } from './migrations.ts'
import { readPendingRestore } from './pending-restore.ts'
import type { Db } from './statement.ts'
import { StoreError, toStoreError } from './store-error.ts'

const KEPT = 7
/** Together backups take no more than this, but for the newest. */
const MAX_BYTES = 4 * 1024 ** 3
const ALWAYS_KEPT = 2
const PAGES_AT_ONCE = 1_000
const UNFINISHED = 'unfinished.db'

export interface BackupFile {
  /** Its file name. */
  id: string
  path: string
  madeAt: number
  bytes: number
  /** Counts the backups made: a clock may be wrong, and then right again. */
  nth: number
}

/** Why a file cannot become the database. */
export interface Fault {
  kind: 'damaged' | 'newer'
  detail: string
}

/** Makes a backup in one go: before a migration nobody else is at work. */
export function writeBackup(dataDir: string, now: number): BackupFile {
  const unfinished = begin(dataDir)
  try {
    connectAnd(databasePath(dataDir), (db) => db.prepare<[string]>('VACUUM INTO ?').run(unfinished))
    return finish(dataDir, unfinished, now)
  } finally {
    removeDatabase(unfinished)
  }
}

/**
 * The same in small steps, between which the thread can be ended. Reads one snapshot through a connection of its own,
 * so others go on writing.
 */
export async function writeBackupInSteps(dataDir: string, now: number): Promise<BackupFile> {
  const unfinished = begin(dataDir)
  try {
    await copySnapshot(databasePath(dataDir), unfinished)
    return finish(dataDir, unfinished, now)
  } finally {
    removeDatabase(unfinished)
  }
}

/** Removes what a backup that was broken off has left. */
export function removeUnfinished(dataDir: string): void {
  removeDatabase(join(backupDir(dataDir), UNFINISHED))
}

function begin(dataDir: string): string {
  const unfinished = join(openBackupDir(dataDir), UNFINISHED)
  removeDatabase(unfinished)
  // SQLite takes an empty file as its target, so the copy is private from its first byte.
  createPrivateFile(unfinished)
  return unfinished
}

/** Strips the copy of what backups do not hold, checks it, and gives it its name. */
function finish(dataDir: string, unfinished: string, now: number): BackupFile {
  connectAnd(unfinished, (copy) => {
    // The copy of a database with a write-ahead log would want one too.
    copy.pragma('journal_mode = DELETE')
    deleteBodiesOf(copy)
  })
  const damage = damageOfTables(unfinished)
  if (damage) throw new StoreError('corrupt', `The backup was not good: ${damage}`)
  const id = nameOf(now, (listBackups(dataDir)[0]?.nth ?? 0) + 1)
  const path = join(backupDir(dataDir), id)
  syncFile(unfinished)
  renameSync(unfinished, path)
  syncFile(path)
  removeOldBackups(dataDir)
  return { id, path, madeAt: now, bytes: lstatOf(path)?.size ?? 0, nth: nthOf(id) }
}

/** Kept prompts and answers are in no backup: who deletes them wants them gone, and they are most of the size. */
function deleteBodiesOf(copy: Db): void {
  copy.pragma('secure_delete = ON')
  const { changes } = copy.prepare('DELETE FROM request_bodies').run()
  if (changes === 0) return
  if (copy.pragma('auto_vacuum', { simple: true }) === 0) copy.exec('VACUUM')
  else while (freePages(copy) > 0) copy.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`)
}

function removeOldBackups(dataDir: string): void {
  const wanted = readPendingRestore(dataDir)?.backup
  let bytes = 0
  for (const [place, old] of listBackups(dataDir).entries()) {
    bytes += old.bytes
    const fits = place < ALWAYS_KEPT || (place < KEPT && bytes <= MAX_BYTES)
    if (!fits && old.id !== wanted) rmSync(old.path, { force: true })
  }
}

/** All backups, the one made last first, whatever the clock said when it was made. */
export function listBackups(dataDir: string): BackupFile[] {
  if (!lstatOf(backupDir(dataDir))) return []
  const dir = openBackupDir(dataDir)
  const found = readdirSync(dir).flatMap((id) => {
    const madeAt = madeAtOf(id)
    const path = join(dir, id)
    return madeAt === null ? [] : [{ id, path, madeAt, bytes: lstatOf(path)?.size ?? 0, nth: nthOf(id) }]
  })
  return found.sort((a, b) => b.nth - a.nth || b.madeAt - a.madeAt)
}

/** Why what is at `path` cannot become the database; null when it can. Reads all of it. */
export function faultOf(path: string, known: readonly Migration[] = migrations): Fault | null {
  const detail = lstatOf(path)?.isFile() ? damageOf(path, 'integrity_check') : 'it is not a plain file'
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
  if (!lstatOf(dir)?.isDirectory()) throw new StoreError('failed', `${dir} is not a folder.`)
  chmodSync(dir, 0o700)
  return dir
}

function nameOf(now: number, nth: number): string {
  return `tollgate-${stamp(now)}-${nth}.db`
}

/** When a backup was made, by its file name; null for a file that is none. */
export function madeAtOf(name: string): number | null {
  const text = /^tollgate-(\d{8}T\d{9}Z)(?:-[1-9]\d{0,14})?\.db$/.exec(name)?.[1]
  return text === undefined ? null : momentOf(text)
}

/** Backups of earlier versions carry no number; they were made before all that do. */
function nthOf(name: string): number {
  return Number(/-(\d+)\.db$/.exec(name)?.[1] ?? 0)
}
