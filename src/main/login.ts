// Owns whether the app starts when the user signs in. Electron does it on macOS and Windows; on Linux the freedesktop
// autostart specification does.

import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { autostartEntry } from './autostart.ts'

/** Starts the app without showing its window: at sign-in nobody asked for it. */
export const HIDDEN_FLAG = '--hidden'

export function launchesAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(entryPath())
  return app.getLoginItemSettings({ args: [HIDDEN_FLAG] }).openAtLogin
}

export async function setLaunchAtLogin(on: boolean): Promise<void> {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [HIDDEN_FLAG] })
  } else if (on) {
    await mkdir(dirname(entryPath()), { recursive: true })
    await writeFile(entryPath(), autostartEntry([...command(), HIDDEN_FLAG]))
  } else {
    await rm(entryPath(), { force: true })
  }
}

// An AppImage runs from a mount that is gone after exit; APPIMAGE names the file itself.
function command(): string[] {
  return app.isPackaged ? [process.env.APPIMAGE ?? process.execPath] : [process.execPath, app.getAppPath()]
}

function entryPath(): string {
  const config = process.env.XDG_CONFIG_HOME?.startsWith('/')
    ? process.env.XDG_CONFIG_HOME
    : join(homedir(), '.config')
  return join(config, 'autostart/tollgate.desktop')
}
