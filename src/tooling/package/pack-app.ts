// Runs electron-builder with the Electron that is there.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, createTargets, Platform } from 'electron-builder'
import { root } from '../commands.ts'
import type { TestElectron } from '../electron-binary.ts'
import { configuration } from './config.ts'
import { removeDefaultApp } from './remove-default-app.ts'

interface Packing {
  electron: TestElectron
  /** The folder where the app and its installers go. */
  output: string
  /** The unpacked app only, without the installers of this system. */
  dir: boolean
}

/** Packs what was built before, for this system and processor. Returns the folder of the unpacked app. */
export async function packApp({ electron, output, dir }: Packing): Promise<string> {
  const electronDist = releaseFolder(electron.path)
  let unpacked: string | null = null
  await build({
    projectDir: root,
    publish: 'never',
    targets: createTargets([Platform.current()], dir ? 'dir' : null),
    config: {
      ...configuration,
      directories: { ...configuration.directories, output },
      electronDist,
      electronVersion: readFileSync(join(electronDist, 'version'), 'utf8').trim().replace(/^v/, ''),
      afterPack: async (context) => {
        unpacked = context.appOutDir
        await removeDefaultApp(context)
      },
    },
  })
  if (unpacked === null) throw new Error('electron-builder packed nothing.')
  return unpacked
}

/** The folder with the contents of Electron's release archive. On macOS the executable is inside `Electron.app`. */
function releaseFolder(executable: string): string {
  return process.platform === 'darwin' ? resolve(executable, '../../../..') : dirname(executable)
}
