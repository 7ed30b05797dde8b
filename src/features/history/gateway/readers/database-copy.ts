// Databases of other programs. SQLite writes next to a database even to read it, and the program may be writing it, so a copy is read.

import { type BigIntStats, constants } from 'node:fs'
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectReader } from '../../../../gateway/store/engine/connection.ts'
import type { Db } from '../../../../gateway/store/sql/statement.ts'

const ATTEMPTS = 3
/** The header of a write-ahead log, which changes when the log begins again: https://www.sqlite.org/fileformat2.html#walformat */
const LOG_HEADER_BYTES = 32

/** The program was changing the database during each attempt to copy it. */
export class BusyDatabaseError extends Error {}

/**
 * Calls `use` with a connection to a copy that has all that was committed. Nothing is written in the database's folder; the copy is
 * in a private folder, and removed.
 */
export async function readDatabaseCopy<T>(path: string, use: (db: Db) => T): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-copy-'))
  try {
    const copy = join(dir, 'copy.db')
    await copyDatabase(path, copy)
    const db = connectReader(copy)
    try {
      return use(db)
    } finally {
      db.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function copyDatabase(path: string, copy: string): Promise<void> {
  const [log, logCopy] = [`${path}-wal`, `${copy}-wal`]
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await stat(path, { bigint: true })
    // The log comes first: what is moved from it to the database meanwhile changes the database.
    const hasLog = await copyIfExists(log, logCopy)
    await copyFile(path, copy, constants.COPYFILE_FICLONE)
    const [header, copied] = [await readHeader(log), hasLog ? await readHeader(logCopy) : null]
    const isSameLog = header === null || copied === null ? header === copied : header.equals(copied)
    if (isSameLog && isUnchanged(before, await stat(path, { bigint: true }))) return
    await rm(logCopy, { force: true })
  }
  throw new BusyDatabaseError(`${path} was changed during each copy`)
}

function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.mtimeNs === after.mtimeNs && before.size === after.size && before.ino === after.ino
}

async function copyIfExists(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Null for no log, or an empty one. */
async function readHeader(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path, 'r')
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(LOG_HEADER_BYTES), 0, LOG_HEADER_BYTES, 0)
      return bytesRead === 0 ? null : buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Whether a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
