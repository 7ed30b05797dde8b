// Owns the hold of one process on a data dir. The hold is SQLite's exclusive lock on a small file, so the operating
// system ends it with the process however that ends; `lock.json` beside it only says whose it is.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { createPrivateFile, regularFile } from './files.ts'
import type { Db } from './statement.ts'

export interface DataDirLock {
  /** Adds to what `lock.json` says, such as the base URL once there is one. */
  note(info: Record<string, unknown>): void
  release(): void
}

/** Another process holds the data dir. */
export class DataDirHeldError extends Error {
  override name = 'DataDirHeldError'
  readonly dataDir: string
  /** What the holder wrote of itself (`pid`, `baseUrl`, `startedAt`); null when that cannot be read. */
  readonly holder: Record<string, unknown> | null

  constructor(dataDir: string, holder: Record<string, unknown> | null) {
    const pid = typeof holder?.pid === 'number' ? ` (process ${holder.pid})` : ''
    const at = typeof holder?.baseUrl === 'string' ? `, which listens on ${holder.baseUrl}` : ''
    super(`The data folder ${dataDir} is in use by another Tollgate${pid}${at}.`)
    this.dataDir = dataDir
    this.holder = holder
  }
}

/** Takes the data dir, an existing folder, for this process alone. Throws DataDirHeldError when another has it. */
export function lockDataDir(dataDir: string, holder: { pid: number } & Record<string, unknown>): DataDirLock {
  const file = join(dataDir, 'lock.db')
  const card = join(dataDir, 'lock.json')
  if (regularFile(file)) chmodSync(file, 0o600)
  else createIfMissing(file)

  const db = new Sqlite(file, { timeout: 0 })
  if (!takeLock(db)) {
    db.close()
    throw new DataDirHeldError(dataDir, readCard(card))
  }
  let info: Record<string, unknown> = {}
  const note = (more: Record<string, unknown>) => {
    info = { ...info, ...more }
    writeCard(card, info)
  }
  note(holder)
  return {
    note,
    release() {
      if (!db.open) return
      rmSync(card, { force: true })
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

function createIfMissing(file: string): void {
  try {
    createPrivateFile(file)
  } catch (error) {
    // Another process made it in the same moment: the lock decides who was first.
    if (!regularFile(file)) throw error
  }
}

function takeLock(db: Db): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
    db.close()
    throw error
  }
}

function readCard(card: string): Record<string, unknown> | null {
  try {
    if (!regularFile(card)) return null
    const value: unknown = JSON.parse(readFileSync(card, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function writeCard(card: string, info: Record<string, unknown>): void {
  const next = `${card}.new`
  rmSync(next, { force: true })
  writeFileSync(next, `${JSON.stringify(info)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(next, card)
}
