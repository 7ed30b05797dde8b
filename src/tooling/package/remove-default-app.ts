import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AfterPackContext } from 'electron-builder'

/**
 * Removes the page that Electron shows when it has no app. electron-builder does so only when it downloaded Electron itself,
 * not when it was given an unpacked one.
 */
export async function removeDefaultApp({ appOutDir, packager }: AfterPackContext): Promise<void> {
  await rm(join(packager.getResourcesDir(appOutDir), 'default_app.asar'), { force: true })
}
