// Runs electron-builder with the installed Electron.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type AfterPackContext, archFromString, build, Platform } from 'electron-builder'
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
  /** The processors to pack for, if not this one. */
  architectures?: readonly string[]
}

/** Packs what was built before for this system. Returns the folder of the unpacked app, the last one if there are several. */
export async function packApp({ electron, output, dir, architectures = [] }: Packing): Promise<string> {
  let unpacked: string | null = null
  const targets = Platform.current().createTarget(dir ? 'dir' : null, ...architectures.map(archFromString))
  const config = {
    ...configuration,
    directories: { ...configuration.directories, output },
    // The Electron that is there is for this processor. For others electron-builder downloads the one of package.json.
    ...(architectures.length === 0 ? describeElectron(electron) : {}),
    afterPack: async (context: AfterPackContext) => {
      unpacked = context.appOutDir
      await removeDefaultApp(context)
    },
  }
  const listeners = process.listeners('beforeExit')
  try {
    await build({ projectDir: root, publish: 'never', targets, config })
  } finally {
    // electron-builder adds one that ends the process with the code 0, whatever its exit code is.
    for (const added of process.listeners('beforeExit'))
      if (!listeners.includes(added)) process.off('beforeExit', added)
  }
  if (unpacked === null) throw new Error('electron-builder packed nothing.')
  return unpacked
}

function describeElectron({ path }: TestElectron): { electronDist: string; electronVersion: string } {
  const electronDist = releaseFolder(path)
  const version = readFileSync(join(electronDist, 'version'), 'utf8')
  return { electronDist, electronVersion: version.trim().replace(/^v/, '') }
}

/** The folder with the contents of Electron's release archive. On macOS the executable is inside `Electron.app`. */
function releaseFolder(executable: string): string {
  return process.platform === 'darwin' ? resolve(executable, '../../../..') : dirname(executable)
}
