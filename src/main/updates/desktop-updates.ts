// Updates of the desktop app: what they need of Electron.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { app, BrowserWindow, net } from 'electron'
import { appVersion } from '../../host/files.ts'
import type { HostLog } from '../../host/log.ts'
import { readPreferences, writePreferences } from '../../host/preferences.ts'
import { readUpdateFeed } from '../../host/updates/feed.ts'
import { UPDATES_CHANNEL } from '../../shared/desktop/desktop-calls.ts'
import type { UpdateState } from '../../shared/desktop/updates.ts'
import { ownAppImage } from '../app-image.ts'
import { relaunch } from '../relaunch.ts'
import { findInstallation } from './installation.ts'
import { createUpdates, type Updates } from './updates.ts'

export interface DesktopUpdates extends Omit<Updates, 'installBeforeExit'> {
  drainMs(): number | undefined
  installBeforeExit(): Promise<void>
  /** Quits, installs what was downloaded, and starts the app again. A second call ends the requests that it waits for. */
  restart(): void
}

/** Running requests may finish, as nothing is urgent about an update. */
const RESTART_DRAIN_MS = 120_000

export function createDesktopUpdates(dataDir: string, log: HostLog): DesktopUpdates {
  const installedVersion = appVersion()
  const { updates: mode = 'ask', lastVersion } = readPreferences(dataDir)
  if (lastVersion !== installedVersion) writePreferences(dataDir, { lastVersion: installedVersion })
  const feed = readUpdateFeed()
  const installation = findInstallation({
    isPackaged: app.isPackaged,
    platform: process.platform,
    resourcesPath: process.resourcesPath,
    appImage: ownAppImage() ?? developedAppImage(),
  })
  let isRestart = false
  const updates = createUpdates({
    installation,
    canVerify: feed.publicKeys.length > 0,
    installedVersion,
    updatedFrom: lastVersion !== undefined && lastVersion !== installedVersion ? lastVersion : null,
    mode,
    saveMode: (chosen) => writePreferences(dataDir, { updates: chosen }),
    saveCheck: (updateCheck) => writePreferences(dataDir, { updateCheck }),
    loadEngine: async () => {
      const { createUpdateEngine } = await import('./feed-updaters.ts')
      return createUpdateEngine({ installation, feed, fetch: (url, init) => net.fetch(url, init), log })
    },
    pageUrl: feed.pageUrl,
    onChange: sendToWindows,
    log,
  })
  return {
    ...updates,
    drainMs: () => (isRestart ? RESTART_DRAIN_MS : undefined),
    installBeforeExit: () => updates.installBeforeExit(isRestart),
    restart() {
      // Quitting again ends what is waited for.
      if (isRestart) return app.quit()
      isRestart = true
      updates.markRestarting()
      // Elsewhere the installer starts the app again.
      if (installation.kind === 'app-image') relaunch()
      else app.quit()
    },
  }
}

/** electron-updater tries updates in an app that is not packaged if it has this file. */
function developedAppImage(): string | null {
  if (app.isPackaged || !existsSync(join(app.getAppPath(), 'dev-app-update.yml'))) return null
  return process.env.APPIMAGE ?? null
}

function sendToWindows(state: UpdateState): void {
  for (const { webContents } of BrowserWindow.getAllWindows()) webContents.send(UPDATES_CHANNEL, state)
}
