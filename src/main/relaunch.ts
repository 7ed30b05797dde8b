import { app } from 'electron'
import { ownAppImage } from './app-image.ts'
import { HIDDEN_FLAG } from './login.ts'

let requested = false

/**
 * Quits the app and starts it again with the same arguments. Electron starts the new process after the old one has exited,
 * when the single-instance lock and the data dir are free. Calling it again has no effect.
 */
export function relaunch(): void {
  // Electron would start one process for each call.
  if (requested) return
  requested = true
  // The user is looking at the window, so the new process should show it.
  const args = process.argv.slice(1).filter((argument) => argument !== HIDDEN_FLAG)
  const appImage = ownAppImage()
  app.relaunch(appImage === null ? { args } : { args, execPath: appImage })
  app.quit()
}
