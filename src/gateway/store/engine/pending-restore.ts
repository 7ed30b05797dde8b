import { readFileSync, rmSync } from 'node:fs'
import { syncFolder, writeFileAtomic } from '../../platform/durable-files.ts'
import { pendingRestorePath, regularFile } from './files.ts'

/** The note that a backup is to replace the database at the next start. */
export interface PendingRestore {
  /** The backup's file name. */
  backup: string
  /** When the user chose it. Part of the name that the replaced database gets, however often the start is repeated. */
  markedAt: number
}

/** Null when there is none, or none that can be read. Throws a StoreError when it is not a plain file. */
export function readPendingRestore(dataDir: string): PendingRestore | null {
  const path = pendingRestorePath(dataDir)
  if (!regularFile(path)) return null
  try {
    return parsePendingRestore(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** Without a schema library: importing one would double the time that a thread of the store takes to start. */
function parsePendingRestore(value: unknown): PendingRestore | null {
  if (typeof value !== 'object' || value === null || !('backup' in value) || !('markedAt' in value))
    return null
  const { backup, markedAt } = value
  if (typeof backup !== 'string' || backup === '') return null
  return typeof markedAt === 'number' && Number.isSafeInteger(markedAt) ? { backup, markedAt } : null
}

/** Replaces an earlier one. */
export function writePendingRestore(dataDir: string, pending: PendingRestore): void {
  writeFileAtomic(pendingRestorePath(dataDir), `${JSON.stringify(pending)}\n`)
}

/** Durable: a note that reappeared after a power cut would undo everything since. */
export function removePendingRestore(dataDir: string): void {
  const path = pendingRestorePath(dataDir)
  if (!regularFile(path)) return
  rmSync(path)
  syncFolder(dataDir)
}
