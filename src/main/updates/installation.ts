// How this copy of the app was installed, which decides what an update can do.

import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { UpdateState } from '../../shared/desktop/updates.ts'

export type Installation =
  /** Replaces its own files; the path is that of an AppImage. */
  | { kind: 'app-image'; path: string }
  | { kind: 'mac' | 'windows' }
  /** Installed with the system's package manager. */
  | { kind: 'deb' | 'rpm' | 'pacman' }
  | { kind: 'unpacked' | 'source' }

export interface Surroundings {
  isPackaged: boolean
  platform: NodeJS.Platform
  /** Electron's `process.resourcesPath`. */
  resourcesPath: string
  /** The AppImage that the app runs from. */
  appImage: string | null
}

/** electron-builder's packages for Linux have their type in a file. */
export function findInstallation(surroundings: Surroundings): Installation {
  const { isPackaged, platform, resourcesPath, appImage } = surroundings
  if (!isPackaged) return appImage === null ? { kind: 'source' } : { kind: 'app-image', path: appImage }
  if (platform === 'darwin') return { kind: 'mac' }
  if (platform === 'win32') return { kind: 'windows' }
  const packageType = join(resourcesPath, 'package-type')
  if (existsSync(packageType)) {
    const found = readFileSync(packageType, 'utf8').trim()
    if (found === 'deb' || found === 'rpm' || found === 'pacman') return { kind: found }
  }
  return appImage === null ? { kind: 'unpacked' } : { kind: 'app-image', path: appImage }
}

export interface UpdateMethod {
  method: UpdateState['method']
  reason: string | null
}

export function getMethod(installation: Installation): UpdateMethod {
  switch (installation.kind) {
    case 'mac':
    case 'windows':
      return { method: 'self', reason: null }
    case 'app-image':
      return isFolderWritable(dirname(installation.path))
        ? { method: 'self', reason: null }
        : {
            method: 'person',
            reason: `Tollgate may not write to ${dirname(installation.path)}. Replace the AppImage there yourself.`,
          }
    case 'deb':
    case 'rpm':
    case 'pacman':
      return {
        method: 'person',
        reason: 'Tollgate was installed as a package, which only an administrator may replace.',
      }
    case 'unpacked':
      return { method: 'person', reason: 'Tollgate runs from an unpacked folder. Replace it yourself.' }
    case 'source':
      return { method: 'none', reason: 'Tollgate runs from its source code. Update it with git.' }
  }
}

/** The command that installs the package of a version, once it is downloaded; null where there is none. */
export function installCommand({ kind }: Installation, version: string): string | null {
  return kind === 'deb' || kind === 'rpm' ? packageCommands[kind](version) : null
}

const packageCommands = {
  deb: (version: string) =>
    `sudo apt install ./tollgate_${version}_${process.arch === 'x64' ? 'amd64' : process.arch}.deb`,
  rpm: (version: string) =>
    `sudo dnf install ./tollgate-${version}.${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.rpm`,
}

function isFolderWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}
