import { app } from 'electron'
import { ownAppImage } from './app-image.ts'
import { HIDDEN_FLAG } from './login.ts'

let requested = false

/** Quits the app and starts it again with the same arguments. Calling it again has no effect. */
export function relaunch(): void {
  if (startAfterExit()) app.quit()
}

/**
 * Starts the app again with the same arguments after it has exited, when the single-instance lock and the data dir are free.
 * Returns false if that was requested already.
 */
export function startAfterExit(): boolean {
  // Electron would start one process for each call.
  if (requested) return false
  requested = true
  // The user is looking at the window, so the new process should show it.
  const args = process.argv.slice(1).filter((argument) => argument !== HIDDEN_FLAG)
  const appImage = ownAppImage()
  app.relaunch(appImage === null ? { args } : { args, execPath: appImage })
  return true
}
