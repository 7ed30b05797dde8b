// Owns the copies in `backups/`: making them, checking them, choosing among them. Never touches the database in use.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Restored } from './calls.ts'
import { connectAnd, damageOf } from './connection.ts'
import {
  backupDir,
  COMPANIONS,
  createPrivateFile,
  databasePath,
  lookAt,
  newDatabasePath,
  regularFile,
  removeDatabase,
  syncFile,
} from './files.ts'
import { schemaVersion } from './migrations.ts'
import { StoreError, toStoreError } from './store-error.ts'

const KEPT = 7
const UNFINISHED = 'unfinished.db'

interface Backup {
  path: string
  madeAt: number
}

/**
 * Copies the database, checks the copy and keeps the newest few. Reads one snapshot through a connection of its own,
 * so others go on writing. Returns the copy's path.
 */
export function makeBackup(dataDir: string, now: number): string {
  const dir = openBackupDir(dataDir)
  const unfinished = join(dir, UNFINISHED)
  removeDatabase(unfinished)
  try {
    // VACUUM INTO takes an empty file as its target, so the copy is private from its first byte.
    createPrivateFile(unfinished)
    connectAnd(databasePath(dataDir), (db) => db.prepare<[string]>('VACUUM INTO ?').run(unfinished))
    const damage = damageOf(unfinished, 'integrity_check')
    if (damage) throw new StoreError('corrupt', `The backup was not good: ${damage}`)
    const path = join(dir, nameOf(now))
    // SQLite does not sync what VACUUM INTO writes: https://www.sqlite.org/lang_vacuum.html
    syncFile(unfinished)
    renameSync(unfinished, path)
    syncFile(path)
    for (const old of listBackups(dataDir).slice(KEPT)) rmSync(old.path, { force: true })
    return path
  } finally {
    removeDatabase(unfinished)
  }
}

/** All backups, newest first. */
export function listBackups(dataDir: string): Backup[] {
  if (!lookAt(backupDir(dataDir))) return []
  const dir = openBackupDir(dataDir)
  return readdirSync(dir)
    .sort()
    .reverse()
    .flatMap((name) => {
      const madeAt = momentOf(name)
      return madeAt === null ? [] : [{ path: join(dir, name), madeAt }]
    })
}

/**
 * Puts the newest good backup in the place of a damaged or missing database, which is moved aside and kept.
 * Throws a StoreError `corrupt` when there is no good backup; nothing is changed then.
 */
export function restoreNewest(dataDir: string, damage: string, now: number): Restored {
  const database = databasePath(dataDir)
  const copy = newDatabasePath(dataDir)
  for (const backup of listBackups(dataDir)) {
    removeDatabase(copy)
    if (!copyIfGood(backup, copy)) continue
    const movedTo = moveAside(database, now)
    renameSync(copy, database)
    syncFile(database)
    return { backup: basename(backup.path), madeAt: backup.madeAt, movedTo }
  }
  throw new StoreError(
    'corrupt',
    `The database ${database} cannot be used (${damage}), and there is no good backup in ${backupDir(dataDir)}. ` +
      'Tollgate does not start with an empty one, because that would forget what was spent. ' +
      'Put a good copy in its place, or move the whole data folder away to begin anew.',
  )
}

function copyIfGood(backup: Backup, copy: string): boolean {
  if (!lookAt(backup.path)?.isFile()) return false
  copyFileSync(backup.path, copy)
  chmodSync(copy, 0o600)
  if (damageOf(copy, 'integrity_check') !== null) return false
  try {
    connectAnd(copy, (db) => schemaVersion(db))
  } catch (thrown) {
    if (toStoreError(thrown).code === 'newer') return false
    throw thrown
  }
  syncFile(copy)
  return true
}

/** The database goes first: a crash in between then leaves it missing, never opened without its log. */
function moveAside(database: string, now: number): string | null {
  const aside = `${database}.damaged-${stamp(now)}`
  const existed = regularFile(database) !== null
  for (const suffix of ['', ...COMPANIONS]) {
    if (regularFile(database + suffix)) renameSync(database + suffix, aside + suffix)
  }
  return existed ? aside : null
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

/** A moment in UTC as `20260131T235959999Z`: sorts by time, and stands in file names everywhere. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}

function momentOf(name: string): number | null {
  const match = /^tollgate-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/.exec(name)
  if (!match) return null
  const [, year, month, day, hour, minute, second, ms] = match
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
