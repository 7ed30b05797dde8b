import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorMessage } from '../shared/values/text.ts'

const PRIVATE = 0o700

/** The data dir cannot be used. The message is for the user. */
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
 * The data dir to use: the one given, else `TOLLGATE_DATA_DIR`, else the per-user app folder of the platform, which is the
 * folder that Electron uses for an app of this name.
 */
export function chooseDataDir(flag: string | undefined, { platform, env, home } = here()): string {
  const wanted = flag || env.TOLLGATE_DATA_DIR
  return wanted ? resolve(wanted) : ownDataDir({ platform, env, home })
}

function ownDataDir({ platform, env, home }: DataDirSurroundings): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Tollgate')
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Tollgate')
  // The XDG base directory specification says to ignore relative paths.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config')
  return join(config, 'Tollgate')
}

/**
 * Creates the data dir if necessary and sets its mode to 0700. Throws a DataDirError for a symbolic link, for a file, for a
 * folder of another user (who could read or replace the ledger), and for a folder with other files, which the new mode could
 * make inaccessible to other users.
 */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) {
      throw new DataDirError(`The data folder ${dataDir} cannot be created: ${errorMessage(error)}.`)
    }
  }
  const stats = lstatSync(dataDir)
  if (stats.isSymbolicLink()) {
    throw new DataDirError(
      `The data folder ${dataDir} is a symbolic link. Use the folder it points to instead.`,
    )
  }
  if (!stats.isDirectory()) throw new DataDirError(`The data folder ${dataDir} is a file, not a folder.`)
  if (dataDir !== ownDataDir(here())) rejectForeignFiles(dataDir)
  // Windows has no such owners and modes; the access control list of the user's profile protects the folder.
  if (process.getuid === undefined) return
  if (stats.uid !== process.getuid()) {
    throw new DataDirError(`The data folder ${dataDir} belongs to another user. Choose another folder.`)
  }
  if ((stats.mode & 0o777) !== PRIVATE) chmodSync(dataDir, PRIVATE)
}

/** The files of Tollgate. At least one of MARKS is in every data dir that was used. */
const OURS =
  /^(tollgate\.db|lock\.db|lock\.json|tollgate\.db[.-].*|lock\.(db|json)[.-].*|backups|logs|window|preferences\.json.*|tool-setups\.json.*|tool-backups|tollgate\.sock|restore-at-start\.json.*|check-at-start|crashes|running\.json.*)$/
const MARKS = ['tollgate.db', 'lock.db']
/** Files that operating systems create in any folder. */
const SYSTEM_FILES = ['.DS_Store', 'desktop.ini', 'Thumbs.db', 'lost+found']

function rejectForeignFiles(dataDir: string): void {
  const names = readdirSync(dataDir).filter((name) => !SYSTEM_FILES.includes(name))
  const foreign = names.find((name) => !OURS.test(name))
  if (foreign === undefined || MARKS.some((mark) => names.includes(mark))) return
  throw new DataDirError(
    `The data folder ${dataDir} contains other files (${foreign}) and no data of Tollgate. Use an empty folder or one that does not exist yet.`,
  )
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
