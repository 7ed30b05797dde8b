// Lets one process use a data dir. The lock is SQLite's exclusive lock on a small file, so the operating system releases it
// however the process ends; `lock.json` next to it only names the holder.
import { chmodSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Db } from '../sql/statement.ts'
import * as files from './files.ts'

export interface DataDirLock {
  /** Records permanently that a ledger exists here: should it go missing, it is not replaced by an empty one. */
  noteLedger(): void
  /** Adds to `lock.json`, such as the base URL once there is one. */
  note(info: Record<string, unknown>): void
  release(): void
}

/** Another process holds the data dir. */
export class DataDirHeldError extends Error {
  override name = 'DataDirHeldError'
  readonly dataDir: string
  /** The holder's entry in `lock.json` (`pid`, `baseUrl`, `startedAt`); null when that cannot be read. */
  readonly holder: Record<string, unknown> | null

  constructor(dataDir: string, holder: Record<string, unknown> | null) {
    const pid = typeof holder?.pid === 'number' ? ` (process ${holder.pid})` : ''
    const at = typeof holder?.baseUrl === 'string' ? `, which listens on ${holder.baseUrl}` : ''
    super(`The data folder ${dataDir} is in use by another Tollgate${pid}${at}.`)
    this.dataDir = dataDir
    this.holder = holder
  }
}

/**
 * Locks the data dir, an existing folder, for this process. Throws DataDirHeldError when another process holds it, even
 * if the lock's file was removed or replaced meanwhile.
 */
export function lockDataDir(dataDir: string, holder: { pid: number } & Record<string, unknown>): DataDirLock {
  const file = files.lockPath(dataDir)
  const found = files.regularFile(file)
  if (found) chmodSync(file, 0o600)
  else createLockFile(file)
  const inode = files.tryLstat(file)?.ino ?? 0
  const before = files.readHolder(dataDir)
  // lock.json is removed when a lock is released: one that names another file belongs to a holder that may still run.
  const isDoubtful = found === null || (before !== null && before.inode !== inode)

  const db = new Sqlite(file, { timeout: 0 })
  if (!takeLock(db) || (isDoubtful && isDatabaseInUse(files.databasePath(dataDir)))) {
    db.close()
    throw new DataDirHeldError(dataDir, before)
  }
  let info: Record<string, unknown> = {}
  const note = (more: Record<string, unknown>) => {
    info = { ...info, ...more }
    files.writeLockInfo(dataDir, info)
  }
  note({ ...holder, inode })
  return {
    note,
    noteLedger() {
      if (!db.open || !db.inTransaction) return
      db.pragma('user_version = 1')
      // In the exclusive locking mode the lock outlives the transaction.
      db.exec('COMMIT')
    },
    release() {
      if (!db.open) return
      if (files.tryLstat(file)?.ino === inode) rmSync(files.lockInfoPath(dataDir), { force: true })
      if (db.inTransaction) db.exec('ROLLBACK')
      db.close()
    },
  }
}

/** Every process that has opened the database holds SQLite's shared lock on it. */
function isDatabaseInUse(path: string): boolean {
  if (!files.regularFile(path)?.size) return false
  files.listFiles(path).forEach(files.regularFile)
  const db = new Sqlite(path, { timeout: 0, fileMustExist: true })
  try {
    // Closing it may checkpoint a log that a crash has left.
    db.pragma('synchronous = FULL')
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // Damage and other errors are reported when the store opens the database.
    return isBusy(error)
  } finally {
    db.close()
  }
}

function createLockFile(file: string): void {
  try {
    files.createPrivateFile(file)
  } catch (error) {
    // Another process created it at the same moment: the lock decides who was first.
    if (!files.regularFile(file)) throw error
  }
}

function takeLock(db: Db): boolean {
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    db.close()
    throw error
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
