// Launch at login: through Electron on macOS and Windows, by an XDG autostart entry on Linux.
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { ownAppImage } from './app-image.ts'
import { autostartEntry } from './autostart.ts'

/** Starts the app without showing its window, as at login. */
export const HIDDEN_FLAG = '--hidden'

export function launchesAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(entryPath())
  return app.getLoginItemSettings({ args: [HIDDEN_FLAG] }).openAtLogin
}

export async function setLaunchAtLogin(enabled: boolean): Promise<void> {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: enabled, args: [HIDDEN_FLAG] })
  } else if (enabled) {
    await mkdir(dirname(entryPath()), { recursive: true })
    await writeFile(entryPath(), autostartEntry([...command(), HIDDEN_FLAG]))
  } else {
    await rm(entryPath(), { force: true })
  }
}

function command(): string[] {
  return app.isPackaged ? [ownAppImage() ?? process.execPath] : [process.execPath, app.getAppPath()]
}

function entryPath(): string {
  const config = process.env.XDG_CONFIG_HOME?.startsWith('/')
    ? process.env.XDG_CONFIG_HOME
    : join(homedir(), '.config')
  return join(config, 'autostart/tollgate.desktop')
}
