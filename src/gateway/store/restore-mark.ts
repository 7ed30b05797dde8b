// Owns the note that a backup is to take the database's place at the next start. Knows nothing of databases.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createPrivateFile, regularFile, restoreMarkPath, syncFile, syncNames } from './files.ts'

export interface Mark {
  /** The backup's file name. */
  backup: string
  /** When it was asked for; names what the database is moved aside to, however often the start is repeated. */
  markedAt: number
}

/** Null when there is no mark, or none that can be read. Throws a StoreError when it is not a plain file. */
export function readMark(dataDir: string): Mark | null {
  const path = restoreMarkPath(dataDir)
  if (!regularFile(path)) return null
  try {
    return parseMark(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** By hand: a schema library would double the time in which a thread of the store starts. */
function parseMark(value: unknown): Mark | null {
  if (typeof value !== 'object' || value === null || !('backup' in value) || !('markedAt' in value))
    return null
  const { backup, markedAt } = value
  if (typeof backup !== 'string' || backup === '') return null
  return typeof markedAt === 'number' && Number.isSafeInteger(markedAt) ? { backup, markedAt } : null
}

/** Replaces an earlier mark. */
export function writeMark(dataDir: string, mark: Mark): void {
  const path = restoreMarkPath(dataDir)
  const next = `${path}.new`
  rmSync(next, { force: true })
  createPrivateFile(next)
  writeFileSync(next, `${JSON.stringify(mark)}\n`)
  syncFile(next)
  renameSync(next, path)
  syncNames(dataDir)
}

/** Durable: a mark that came back after a power cut would undo what happened since. */
export function removeMark(dataDir: string): void {
  const path = restoreMarkPath(dataDir)
  if (!regularFile(path)) return
  rmSync(path)
  syncNames(dataDir)
}
