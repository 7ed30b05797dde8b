// Owns which folder is the data dir, and that it is private to its user. Knows nothing of what is kept in it.
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorMessage } from '../shared/error-message.ts'

const PRIVATE = 0o700

/** The data dir cannot be used as it is; the message is a sentence for the user. */
export class DataDirError extends Error {
  override name = 'DataDirError'
}

export interface DataDirSurroundings {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

const here = (): DataDirSurroundings => ({ platform: process.platform, env: process.env, home: homedir() })

/**
 * The data dir to use: the one asked for, else `TOLLGATE_DATA_DIR`, else the platform's per-user app folder. These
 * are the folders Electron gives an app of this name, so that people look in the right place.
 */
export function chooseDataDir(asked: string | undefined, { platform, env, home } = here()): string {
  const wanted = asked || env.TOLLGATE_DATA_DIR
  return wanted ? resolve(wanted) : ownDataDir({ platform, env, home })
}

function ownDataDir({ platform, env, home }: DataDirSurroundings): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Tollgate')
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Tollgate')
  // The XDG base directory specification: a relative value is to be ignored.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config')
  return join(config, 'Tollgate')
}

/**
 * Makes the data dir if need be and its mode 0700. Refuses, with a DataDirError, a symbolic link, anything else that
 * is not a folder, a folder that belongs to another user (whoever owns it could read the ledger or swap it), and one
 * that others keep their files in: closing it would lock them out.
 */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) {
      throw new DataDirError(`The data folder ${dataDir} cannot be made: ${errorMessage(error)}.`)
    }
  }
  const found = lstatSync(dataDir)
  if (found.isSymbolicLink()) {
    throw new DataDirError(
      `The data folder ${dataDir} is a symbolic link; give the folder it leads to instead.`,
    )
  }
  if (!found.isDirectory()) throw new DataDirError(`The data folder ${dataDir} is a file, not a folder.`)
  if (dataDir !== ownDataDir(here())) refuseForeign(dataDir)
  // Windows has neither owners of this kind nor modes: the profile's own access list keeps others out there.
  if (process.getuid === undefined) return
  if (found.uid !== process.getuid()) {
    throw new DataDirError(`The data folder ${dataDir} belongs to another user; choose one of your own.`)
  }
  if ((found.mode & 0o777) !== PRIVATE) chmodSync(dataDir, PRIVATE)
}

/** What Tollgate keeps in its folder. The first two are in every one that was used. */
const OURS =
  /^(tollgate\.db|lock\.db|lock\.json|tollgate\.db[.-].*|lock\.(db|json)[.-].*|backups|logs|window|preferences\.json.*|restore-at-start\.json.*)$/
const MARKS = ['tollgate.db', 'lock.db']
/** What systems put into folders by themselves. */
const NOTHING = ['.DS_Store', 'desktop.ini', 'Thumbs.db', 'lost+found']

function refuseForeign(dataDir: string): void {
  const names = readdirSync(dataDir).filter((name) => !NOTHING.includes(name))
  const foreign = names.find((name) => !OURS.test(name))
  if (foreign === undefined || MARKS.some((mark) => names.includes(mark))) return
  throw new DataDirError(
    `The data folder ${dataDir} holds other files (${foreign}) and nothing of Tollgate’s; give an empty folder, or one that does not exist yet.`,
  )
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
