import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file that only its owner can read, as a whole: after a crash or a power cut it has either the old content
 * or the new. Durable when it returns.
 */
export function writeFileAtomic(path: string, content: string): void {
  const next = `${path}.new`
  // A link that someone put there would be followed: `wx` creates the file, or fails.
  rmSync(next, { force: true })
  writeFileSync(next, content, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(next, path)
  syncFolder(dirname(path))
}

/** Makes a finished file durable under its present name. */
export function syncFile(path: string): void {
  sync(path, 'r+')
  syncFolder(dirname(path))
}

/** Makes the names of the files in a folder durable. */
export function syncFolder(folder: string): void {
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
