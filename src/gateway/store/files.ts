// Owns the names of the store's files and what must be true of them before SQLite, which follows links and makes
// what is missing, gets to see them. Knows nothing of what is inside.
import { chmodSync, closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreError } from './store-error.ts'

/** SQLite's companions of a database file: https://www.sqlite.org/tempfiles.html */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const

const PRIVATE_FILE = 0o600

export function databasePath(dataDir: string): string {
  return join(dataDir, 'tollgate.db')
}

/** Where a database is prepared before it takes its name, so that one with the name is always whole. */
export function newDatabasePath(dataDir: string): string {
  return join(dataDir, 'tollgate.db.new')
}

/** Held by the process that owns the data dir. It is empty until there has been a ledger. */
export function lockPath(dataDir: string): string {
  return join(dataDir, 'lock.db')
}

export function backupDir(dataDir: string): string {
  return join(dataDir, 'backups')
}

/** Says which backup is to take the database's place at the next start. */
export function restoreMarkPath(dataDir: string): string {
  return join(dataDir, 'restore-at-start.json')
}

/** A moment in UTC as `20260131T235959999Z`: sorts by time, and stands in file names everywhere. */
export function stamp(moment: number): string {
  return new Date(moment).toISOString().replace(/[-:.]/g, '')
}

/** The moment of a stamp; null for any other text. */
export function momentOf(text: string): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second, ms] = match
  const moment = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(moment) ? null : moment
}

/** What is at `path` itself, without following a link; null when nothing is. */
export function lookAt(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

/** Refuses anything at `path` but a regular file. Returns it, or null when nothing is there. */
export function regularFile(path: string): Stats | null {
  const stats = lookAt(path)
  if (stats && !stats.isFile()) {
    const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
    throw new StoreError('failed', `${path} is ${what}; Tollgate keeps its data in plain files only.`)
  }
  return stats
}

/** Makes an empty file that only its owner can read. Throws when anything has that name. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE))
}

/** Takes everyone else's access to a database and its companions away. */
export function makePrivate(database: string): void {
  for (const path of [database, ...COMPANIONS.map((suffix) => database + suffix)]) {
    if (regularFile(path)) chmodSync(path, PRIVATE_FILE)
  }
}

/** Removes a database that is not in use, with its companions. */
export function removeDatabase(database: string): void {
  for (const path of [database, ...COMPANIONS.map((suffix) => database + suffix)])
    rmSync(path, { force: true })
}

/**
 * Moves a database that is not in use to another name, with its companions. The database goes first: a crash in
 * between leaves it missing, never opened without its log; moving it again completes the move.
 */
export function moveDatabase(from: string, to: string): void {
  for (const suffix of ['', ...COMPANIONS]) {
    if (regularFile(from + suffix)) renameSync(from + suffix, to + suffix)
  }
}

/** Makes a finished file durable under its present name. */
export function syncFile(path: string): void {
  sync(path, 'r+')
  syncNames(dirname(path))
}

/** Makes durable what the files in a folder are called. */
export function syncNames(folder: string): void {
  // Windows cannot open a folder as a file; NTFS journals names by itself.
  if (process.platform !== 'win32') sync(folder, 'r')
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
