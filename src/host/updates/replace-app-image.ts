import { chmodSync, constants, copyFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFile, syncFolder } from '../../gateway/compose/host-api.ts'

/** Replaces the file in one step and under its own name: after a power cut, either the old or the new one is whole. */
export function replaceAppImage(path: string, downloaded: string): void {
  // In the same folder, as the download may be on another disk.
  const next = `${path}.new`
  try {
    // A link or file that someone put there would be written to: the copy creates the file, or fails.
    rmSync(next, { force: true })
    copyFileSync(downloaded, next, constants.COPYFILE_EXCL)
    chmodSync(next, 0o755)
    syncFile(next)
    renameSync(next, path)
    syncFolder(dirname(path))
  } finally {
    rmSync(next, { force: true })
  }
}
