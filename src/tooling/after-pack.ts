// Removes the page that Electron shows when it has no app. electron-builder does so only when it downloaded Electron
// itself, not when it was given an unpacked one.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

interface Packed {
  appOutDir: string
  electronPlatformName: string
  packager: { appInfo: { productFilename: string } }
}

export default async function afterPack({
  appOutDir,
  electronPlatformName,
  packager,
}: Packed): Promise<void> {
  const resources =
    electronPlatformName === 'darwin'
      ? join(appOutDir, `${packager.appInfo.productFilename}.app`, 'Contents/Resources')
      : join(appOutDir, 'resources')
  await rm(join(resources, 'default_app.asar'), { force: true })
}
