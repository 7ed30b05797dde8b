// The names of the store's files, and the checks they must pass before SQLite opens them: SQLite follows links and
// creates what is missing.
import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/durable-files.ts'
import { StoreError } from '../sql/store-error.ts'

/** SQLite's companions of a database file: https://www.sqlite.org/tempfiles.html */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const

const PRIVATE_FILE = 0o600

const inDataDir = (name: string) => (dataDir: string) => join(dataDir, name)

export const databasePath = inDataDir('tollgate.db')
/** Where a database is prepared before it takes its name, so that one with the name is always whole. */
export const newDatabasePath = inDataDir('tollgate.db.new')
/** Held by the process that owns the data dir. It is empty until there has been a ledger. */
export const lockPath = inDataDir('lock.db')
/** Removed when the lock is released; a crash leaves it. */
export const lockInfoPath = inDataDir('lock.json')
export const backupDir = inDataDir('backups')
/** Names the backup that replaces the database at the next start. */
export const pendingRestorePath = inDataDir('restore-at-start.json')
/** The key that signed them, where there was no keychain. */
export const receiptKeyPath = inDataDir('receipt-key.json')
/** Exists when damage was found: the next start checks the whole database. */
export const damageNotePath = inDataDir('check-at-start')

/** A moment in UTC as `20260131T235959999Z`: sorts by time, and is a valid file name on every system. */
export function stamp(moment: number): string {
  return new Date(moment).toISOString().replace(/[-:.]/g, '')
}

/** The moment of a stamp; null if there is no such moment. */
export function findMoment(text: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/
  const moment = Date.parse(text.replace(parts, '$1-$2-$3T$4:$5:$6.$7Z'))
  return Number.isNaN(moment) ? null : moment
}

/** Stats of `path` itself, without following a link; null when nothing is there. */
export function tryLstat(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

/** Stats of the regular file at `path`; null when nothing is there. Throws a StoreError for anything else. */
export function regularFile(path: string): Stats | null {
  const stats = tryLstat(path)
  if (stats && !stats.isFile()) {
    const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
    throw new StoreError('failed', `${path} is ${what}; Tollgate keeps its data in plain files only.`)
  }
  return stats
}

/** Creates an empty file that only its owner can read. Throws when anything has that name. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE))
}

/** The paths of a database and its companions. */
export function listFiles(database: string): string[] {
  return [database, ...COMPANIONS.map((suffix) => database + suffix)]
}

/** Makes a database and its companions readable by their owner only. */
export function makePrivate(database: string): void {
  for (const path of listFiles(database)) if (regularFile(path)) chmodSync(path, PRIVATE_FILE)
}

/** Removes a database that is not in use, with its companions. */
export function removeDatabase(database: string): void {
  for (const path of listFiles(database)) rmSync(path, { force: true })
}

/**
 * Moves a database that is not in use to another name, with its companions. The database goes first: a crash in
 * between leaves it missing, never opened without its log; moving it again completes the move.
 */
export function moveDatabase(from: string, to: string): void {
  for (const suffix of ['', ...COMPANIONS]) moveFile(from + suffix, to + suffix)
}

/** Undoes an interrupted move. The database is moved last, so that it never exists without its log. */
export function undoMove(from: string, to: string): void {
  for (const suffix of [...COMPANIONS, '']) moveFile(to + suffix, from + suffix)
}

function moveFile(from: string, to: string): void {
  if (regularFile(from)) renameSync(from, to)
}

// The process that holds a data dir describes itself, for those that find the dir in use or want to call the gateway.

/** The content of `lock.json`, written by the process that holds the data dir; null if there is none. */
export function readHolder(dataDir: string): Record<string, unknown> | null {
  const path = lockInfoPath(dataDir)
  try {
    if (!regularFile(path)) return null
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

export function writeLockInfo(dataDir: string, info: Record<string, unknown>): void {
  writeFileAtomic(lockInfoPath(dataDir), `${JSON.stringify(info)}\n`)
}
