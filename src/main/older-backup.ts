import { app, BrowserWindow, dialog } from 'electron'
import { EXIT } from '../host/exit-codes.ts'
import type { HostLog } from '../host/log.ts'
import { backupToReturnTo, isNewerData, restoreAtNextStart } from '../host/restore-backup.ts'
import { errorMessage } from '../shared/values/text.ts'
import { startAfterExit } from './relaunch.ts'

/**
 * After a start that failed because a newer version has used the data: says what to do, and offers to go back to the last
 * backup that this version can open. Resolves to false for any other error; otherwise the app exits.
 */
export async function exitWithNewerData(
  error: unknown,
  dataDir: string,
  log: Pick<HostLog, 'flushSync'>,
): Promise<boolean> {
  if (!isNewerData(error)) return false
  const detail = errorMessage(error)
  process.stderr.write(`tollgate: ${detail}\n`)
  log.flushSync()
  // It could only show that there is no gateway.
  for (const window of BrowserWindow.getAllWindows()) window.hide()
  const backup = backupToReturnTo(error, dataDir)
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: 'A newer version of Tollgate has used this data',
    detail,
    buttons: backup ? ['Quit', 'Go back to the backup'] : ['Quit'],
    defaultId: 0,
    cancelId: 0,
  })
  const isScheduled = backup && response === 1 && restoreAtNextStart(dataDir, backup.id) === null
  if (isScheduled) startAfterExit()
  app.exit(isScheduled ? EXIT.done : EXIT.dataDir)
  return true
}
