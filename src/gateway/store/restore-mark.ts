// Owns the note that a backup is to take the database's place at the next start. Knows nothing of databases.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { createPrivateFile, regularFile, restoreMarkPath, syncFile, syncNames } from './files.ts'

const Mark = z.object({
  /** The backup's file name. */
  backup: z.string().min(1),
  /** When it was asked for; names what the database is moved aside to, however often the start is repeated. */
  markedAt: z.int().min(0),
})
export type Mark = z.infer<typeof Mark>

/** Null when there is no mark, or none that can be read. Throws a StoreError when it is not a plain file. */
export function readMark(dataDir: string): Mark | null {
  const path = restoreMarkPath(dataDir)
  if (!regularFile(path)) return null
  try {
    return Mark.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
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
