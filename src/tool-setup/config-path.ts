// Finds the file of a tool that may be written. The paths are those of the table; nothing outside the home folder is touched.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { ConfigFile } from '../shared/tools/tool-config.ts'
import { UnreadableFileError } from './edit.ts'

export interface Surroundings {
  home: string
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
}

interface FoundFile {
  /** As the user knows it. */
  path: string
  /** The file itself, where `path` is a symbolic link to it. */
  realPath: string
}

/** Variables with which a user moves the folder of a tool, by the first part of its path. */
const FOLDER_VARIABLES: Readonly<Record<string, string>> = {
  '.claude': 'CLAUDE_CONFIG_DIR',
  // A file next to that folder, and in it if it is moved.
  '.claude.json': 'CLAUDE_CONFIG_DIR',
  '.codex': 'CODEX_HOME',
  '.config': 'XDG_CONFIG_HOME',
}

const MAX_BYTES = 1024 * 1024

/** Throws UnreadableFileError for a file that Tollgate must not write. */
export function findConfigFile(file: ConfigFile, surroundings: Surroundings): FoundFile {
  const paths = candidatePaths(file, surroundings)
  const path = paths.find((each) => tryLstat(each) !== null) ?? paths[0] ?? ''
  if (!isInside(surroundings.home, path)) {
    throw new UnreadableFileError(`It is outside your home folder: ${path}.`)
  }
  const realPath = resolveLinks(path)
  checkTarget(realPath, surroundings)
  return { path, realPath }
}

/** Throws UnreadableFileError if this file, which need not exist, must not be written. */
export function checkTarget(realPath: string, { home }: Surroundings): void {
  if (resolveLinks(realPath) !== realPath || !isInside(realpathSync(home), realPath)) {
    throw new UnreadableFileError(`It leads to a place outside your home folder: ${realPath}.`)
  }
  const stats = tryLstat(realPath)
  if (stats) checkWritable(stats)
}

function candidatePaths(file: ConfigFile, { home, platform, env }: Surroundings): string[] {
  if (platform === 'win32' && file.windowsPath) return [join(home, file.windowsPath)]
  return [file.path, ...(file.otherPaths ?? [])].map((path) => {
    const [folder = '', ...rest] = path.split('/')
    const moved = env[FOLDER_VARIABLES[folder] ?? '']
    if (!moved || !isAbsolute(moved)) return join(home, path)
    return rest.length === 0 ? join(moved, folder) : join(moved, ...rest)
  })
}

/** The path without symbolic links, also where its last parts do not exist yet. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    if (tryLstat(path)?.isSymbolicLink()) {
      throw new UnreadableFileError('It is a symbolic link to a file that does not exist.')
    }
    const folder = dirname(path)
    return folder === path ? path : join(resolveLinks(folder), relative(folder, path))
  }
}

function checkWritable(stats: Stats): void {
  if (!stats.isFile()) throw new UnreadableFileError('It is not a file.')
  if (process.getuid && stats.uid !== process.getuid()) {
    throw new UnreadableFileError('It belongs to another user.')
  }
  if ((stats.mode & 0o200) === 0) throw new UnreadableFileError('It is read-only.')
  if (stats.nlink > 1) throw new UnreadableFileError('It has several hard links.')
  if (stats.size > MAX_BYTES) throw new UnreadableFileError('It is larger than a megabyte.')
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export function tryLstat(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

/** Whether the folder of the file exists, which most tools create when they first run. */
export function hasFolder(path: string): boolean {
  return statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Whether other users of the computer may read the file. Windows protects it by the folder of the user. */
export function readableByOthers(path: string, { platform }: Surroundings): boolean {
  return platform !== 'win32' && ((tryLstat(path)?.mode ?? 0) & 0o044) !== 0
}
