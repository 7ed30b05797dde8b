// Owns ending the app and starting it again. Electron starts the new process when the old one has ended, so both the
// single-instance lock and the data dir are free by then.
import { app } from 'electron'
import { HIDDEN_FLAG } from './login.ts'

let asked = false

/** Starts the app again with the same arguments once it has quit as usual, what runs settled. Repeating it does nothing. */
export function relaunch(): void {
  // Electron starts one process for every time it is asked.
  if (asked) return
  asked = true
  // Whoever asks sits before the window and expects it back.
  const args = process.argv.slice(1).filter((argument) => argument !== HIDDEN_FLAG)
  // An AppImage runs from a mount that is gone after exit; APPIMAGE names the file itself.
  const { APPIMAGE } = process.env
  app.relaunch(app.isPackaged && APPIMAGE ? { args, execPath: APPIMAGE } : { args })
  app.quit()
}
