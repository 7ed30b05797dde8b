// Reads and replaces whole files.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../gateway/compose/host-api.ts'
import { tryLstat } from './config-path.ts'
import { UnreadableFileError } from './edit.ts'

/** Another program changed the file meanwhile. The message is for the user. */
export class FileChangedError extends Error {
  override name = 'FileChangedError'
  constructor(path: string) {
    super(`Another program has changed ${path} meanwhile. Nothing was written; look at the changes again.`)
  }
}

/** The text of a file; null if there is none. */
export function readText(path: string): string | null {
  if (tryLstat(path) === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableFileError('It is not UTF-8 text.')
    throw error
  }
}

export interface Replacement {
  path: string
  /** The content that the file must still have; null if it must not exist. */
  before: string | null
  /** Null removes the file. */
  after: string | null
}

/**
 * Replaces a file as a whole: a crash leaves either the old content or the new. Keeps its mode; a new file is private. Throws
 * FileChangedError if it no longer has the content `before`.
 */
export function replaceFile({ path, before, after }: Replacement): void {
  if (after === null) {
    if (readText(path) !== before) throw new FileChangedError(path)
    rmSync(path, { force: true })
    return
  }
  const next = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  const mode = (tryLstat(path)?.mode ?? 0o600) & 0o777
  try {
    writeFileSync(next, after, { mode: 0o600, flag: 'wx', flush: true })
    chmodSync(next, mode)
    if (readText(path) !== before) throw new FileChangedError(path)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** Creates the folders of a file. Adds those that did not exist to `created`, innermost first, also if it then throws. */
export function createFolders(path: string, created: string[][]): void {
  const missing: string[] = []
  for (let folder = dirname(path); tryLstat(folder) === null; folder = dirname(folder)) missing.push(folder)
  created.push(missing)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
}

/** Removes those of the folders that are empty. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch {
      // It has other files by now, or was never made.
    }
  }
}
