import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shell } from 'electron'
import { LOG_FILE } from '../shared/desktop/log-file.ts'

/** Opens the data folder in the file manager. Throws an error for the user. */
export async function revealDataDir(dataDir: string): Promise<void> {
  await openFolder(dataDir)
}

/** Opens the folder of the log in the file manager, where possible with the file selected. Throws an error for the user. */
export async function revealLog(dataDir: string): Promise<void> {
  const file = join(dataDir, LOG_FILE)
  if (!existsSync(file)) throw new Error(`There is no log file at ${file}.`)
  // On Linux, showItemInFolder needs a file manager on D-Bus and does not report whether there was one.
  if (process.platform === 'linux') await openFolder(dirname(file))
  else shell.showItemInFolder(file)
}

async function openFolder(path: string): Promise<void> {
  const failure = await shell.openPath(path)
  if (failure) throw new Error(failure)
}
