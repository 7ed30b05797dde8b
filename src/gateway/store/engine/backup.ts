// The copies in `backups/`: written, checked, listed, removed.

import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ActivityActor } from '../../../shared/api/activity.ts'
import { syncFile, syncFolder, writeFileAtomic } from '../../platform/durable-files.ts'
import { putMeta, readMeta } from '../sql/meta.ts'
import { type Db, freePages } from '../sql/statement.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import { copySnapshot, damageOfTables, describeDamage, schemaOfFile, withConnection } from './connection.ts'
import * as files from './files.ts'
import { latestSchema, type Migration, migrations, schemaVersion } from './migrations.ts'

const MAX_BACKUPS = 7
/** The limit for all backups together; the newest two are kept regardless of size. */
const MAX_TOTAL_BYTES = 4 * 1024 ** 3
const MIN_BACKUPS = 2
const MAX_IMPORTED = 2
const PAGES_PER_STEP = 1_000

export interface BackupFile {
  /** Its file name. */
  id: string
  path: string
  madeAt: number
  bytes: number
  /** The number of the backup; the order of creation, because the clock may have been wrong. */
  nth: number
  /** The user imported it: it may be of another computer, so it is only restored on request. */
  imported: boolean
}

/** Why a file cannot become the database. */
export interface Fault {
  reason: 'damaged' | 'newer'
  /** A text for the user. */
  detail: string
}

/** Writes a backup in one step, for use before a migration, when nothing else runs. */
export function writeBackup(dataDir: string, now: number): BackupFile {
  const unfinished = createUnfinished(dataDir)
  try {
    withConnection(files.databasePath(dataDir), (db) => db.prepare<[string]>('VACUUM INTO ?').run(unfinished))
    return finishBackup(dataDir, unfinished, { madeAt: now, imported: false })
  } finally {
    files.removeDatabase(unfinished)
  }
}

/**
 * The same in small steps, between which the thread can be terminated. Reads a snapshot through its own connection, so
 * that others can go on writing.
 */
export async function writeBackupInSteps(dataDir: string, now: number): Promise<BackupFile> {
  const unfinished = createUnfinished(dataDir)
  try {
    await copySnapshot(files.databasePath(dataDir), unfinished)
    return finishBackup(dataDir, unfinished, { madeAt: now, imported: false })
  } finally {
    files.removeDatabase(unfinished)
  }
}

/** A copy that is being written, and a file of the user's. */
type UnfinishedName = 'unfinished' | 'uploaded'

/** Creates an empty file for a backup. SQLite accepts it as a target, so that the copy is private from its first byte. */
export function createUnfinished(dataDir: string, name: UnfinishedName = 'unfinished'): string {
  const path = join(openBackupDir(dataDir), `${name}.db`)
  files.removeDatabase(path)
  files.createPrivateFile(path)
  return path
}

export function removeUnfinished(dataDir: string, name: UnfinishedName): void {
  files.removeDatabase(join(files.backupDir(dataDir), `${name}.db`))
}

/** Removes from the copy what backups do not contain, checks it, and gives it its name. */
export function finishBackup(
  dataDir: string,
  unfinished: string,
  { madeAt, imported }: Pick<BackupFile, 'madeAt' | 'imported'>,
): BackupFile {
  withConnection(unfinished, (copy) => {
    // A copy of a database in WAL mode would create a log too.
    copy.pragma('journal_mode = DELETE')
    deleteRequestBodies(copy)
  })
  const damage = damageOfTables(unfinished)
  if (damage) throw new StoreError('corrupt', `The backup is damaged: ${damage}`)
  const id = getName({ madeAt, imported, nth: (listBackups(dataDir)[0]?.nth ?? 0) + 1 })
  const path = join(files.backupDir(dataDir), id)
  syncFile(unfinished)
  renameSync(unfinished, path)
  syncFile(path)
  removeOldBackups(dataDir)
  return describeFile(dataDir, id, madeAt)
}

/** Backups contain no prompts and answers: deleting them must delete every copy, and they are most of the size. */
function deleteRequestBodies(copy: Db): void {
  copy.pragma('secure_delete = ON')
  const { changes } = copy.prepare('DELETE FROM request_bodies').run()
  if (changes === 0) return
  if (copy.pragma('auto_vacuum', { simple: true }) === 0) copy.exec('VACUUM')
  else while (freePages(copy) > 0) copy.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
}

function removeOldBackups(dataDir: string): void {
  const pending = readPendingRestore(dataDir)?.backup
  const all = listBackups(dataDir)
  const outdated = all.filter(({ imported }) => imported).slice(MAX_IMPORTED)
  const own = all.filter(({ imported }) => !imported)
  const beforeMigration = own.find(({ path }) => schemaOfFile(path) < latestSchema())
  let bytes = 0
  for (const [index, old] of own.entries()) {
    bytes += old.bytes
    // An older version of the program can open that one.
    const fits =
      old === beforeMigration || index < MIN_BACKUPS || (index < MAX_BACKUPS && bytes <= MAX_TOTAL_BYTES)
    if (!fits) outdated.push(old)
  }
  for (const { id, path } of outdated) if (id !== pending) rmSync(path, { force: true })
}

/** All backups, the latest first, even after changes of the clock. */
export function listBackups(dataDir: string): BackupFile[] {
  if (!files.tryLstat(files.backupDir(dataDir))) return []
  const dir = openBackupDir(dataDir)
  const found = readdirSync(dir).flatMap((id) => {
    const madeAt = readMadeAt(id)
    return madeAt === null ? [] : [describeFile(dataDir, id, madeAt)]
  })
  return found.sort((a, b) => b.nth - a.nth || b.madeAt - a.madeAt)
}

function describeFile(dataDir: string, id: string, madeAt: number): BackupFile {
  const path = join(files.backupDir(dataDir), id)
  const bytes = files.tryLstat(path)?.size ?? 0
  return { id, path, madeAt, bytes, nth: readNth(id), imported: isImported(id) }
}

/** Why the file at `path` cannot become the database; null when it can. Reads all of it. */
export function findFault(path: string, known: readonly Migration[] = migrations): Fault | null {
  const detail = files.tryLstat(path)?.isFile()
    ? describeDamage(path, 'integrity_check')
    : 'it is not a regular file'
  if (detail !== null) return { reason: 'damaged', detail }
  try {
    withConnection(path, (db) => schemaVersion(db, known))
    return null
  } catch (thrown) {
    const { code, message } = toStoreError(thrown)
    if (code === 'newer') return { reason: 'newer', detail: message }
    throw thrown
  }
}

function openBackupDir(dataDir: string): string {
  const dir = files.backupDir(dataDir)
  mkdirSync(dir, { mode: 0o700, recursive: true })
  if (!files.tryLstat(dir)?.isDirectory()) throw new StoreError('failed', `${dir} is not a folder.`)
  chmodSync(dir, 0o700)
  return dir
}

const IMPORTED = 'imported-'

export function isImported(id: string): boolean {
  return id.startsWith(IMPORTED)
}

function getName({ madeAt, imported, nth }: Pick<BackupFile, 'madeAt' | 'imported' | 'nth'>): string {
  return `${imported ? IMPORTED : 'tollgate-'}${files.stamp(madeAt)}-${nth}.db`
}

/** When a backup was made, from its file name; null for any other file. */
export function readMadeAt(name: string): number | null {
  const text = /^(?:tollgate|imported)-(\d{8}T\d{9}Z)(?:-[1-9]\d{0,14})?\.db$/.exec(name)?.[1]
  return text === undefined ? null : files.findMoment(text)
}

/** Backups of earlier versions have no number; they are older than all that do. */
function readNth(name: string): number {
  return Number(/-(\d+)\.db$/.exec(name)?.[1] ?? 0)
}

/** The note that a backup is to replace the database at the next start. */
export interface PendingRestore {
  backup: string
  /** When the user chose it. Part of the name that the replaced database gets, however often the start is repeated. */
  markedAt: number
  /** Absent in the notes of earlier versions. */
  by?: ActivityActor | undefined
  /** Whether the keys of an imported backup stay valid. */
  keepKeys?: boolean | undefined
}

/** Null when there is none, or none that can be read. Throws a StoreError when it is not a plain file. */
export function readPendingRestore(dataDir: string): PendingRestore | null {
  const path = files.pendingRestorePath(dataDir)
  if (!files.regularFile(path)) return null
  try {
    const note: Partial<PendingRestore> | null = JSON.parse(readFileSync(path, 'utf8'))
    const { backup, markedAt } = note ?? {}
    return typeof backup === 'string' && typeof markedAt === 'number' ? { ...note, backup, markedAt } : null
  } catch {
    return null
  }
}

/** Replaces an earlier one. */
export function writePendingRestore(dataDir: string, pending: PendingRestore): void {
  writeFileAtomic(files.pendingRestorePath(dataDir), `${JSON.stringify(pending)}\n`)
}

/** Durable: a note that reappeared after a power cut would undo everything since. */
export function removePendingRestore(dataDir: string): void {
  const path = files.pendingRestorePath(dataDir)
  if (!files.regularFile(path)) return
  rmSync(path)
  syncFolder(dataDir)
}

// The advice for data that a newer version of the program has used: that version, and a backup that this one can open.

const PROGRAM_VERSION = 'program_version'

/** Notes the version that uses the database, for an older one that is started later. */
export function noteProgramVersion(db: Db, version: string): void {
  if (readMeta(db, PROGRAM_VERSION) !== version) putMeta(db, PROGRAM_VERSION, version)
}

/** The newest own backup with a schema that is not newer than `schema`; null if there is none. */
export function findOlderBackup(dataDir: string, schema: number): BackupFile | null {
  const own = listBackups(dataDir).filter(({ imported }) => !imported)
  return own.find(({ path }) => schemaOfFile(path) <= schema) ?? null
}

/** The advice for a database whose schema is newer than the one that this program knows. */
export function adviceForNewer(db: Db, dataDir: string, known: number): string {
  const version = readMeta(db, PROGRAM_VERSION)
  const backup = findOlderBackup(dataDir, known)
  const first =
    `This data was last used by a newer version of Tollgate${version ? `, ${version}` : ''}. ` +
    `Update Tollgate to ${version ? `${version} or later` : 'that version'} to open it.`
  if (!backup) return `${first} There is no backup that this version can open.`
  const madeAt = new Date(backup.madeAt).toISOString().replace('T', ' ').slice(0, 16)
  return (
    `${first} Or go back to the backup ${backup.id} of ${madeAt} UTC: run "tollgate restore ${backup.id}", and start ` +
    'this version again. What was spent after that time then no longer counts; the newer database is kept next to it.'
  )
}
