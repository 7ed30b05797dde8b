// Owns what electron-builder leaves in an unpacked app that is none of ours: the page Electron shows without an app.
// It removes that itself only when it has fetched Electron, not when it was given an unpacked one.
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
