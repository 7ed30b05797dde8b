// Node stores the code that V8 compiled from the files of the program, and loads it at the next start, which takes a third
// of the time. It is stored in the user's cache folder: it has nothing to do with a data dir, and may be deleted.
import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PRIVATE = 0o700
/** The time until a start's code has been compiled, and the first requests have been served. */
const STORE_AFTER_MS = 20_000

/** Loads and stores compiled code from now on, if the build runs and the folder belongs to this user alone. */
export function reuseCompiledCode(dir = codeCacheDir()): void {
  if (import.meta.url.endsWith('.ts')) return
  try {
    mkdirSync(dir, { recursive: true, mode: PRIVATE })
    if (isPrivate(dir)) enableCompileCache(dir)
  } catch {
    // The folder cannot be created: only the start takes longer.
  }
}

/** Stores the code while the program runs, as it may be killed. Node also stores it when the program exits. */
export function storeCompiledCode(): void {
  setTimeout(flushCompileCache, STORE_AFTER_MS).unref()
}

export function codeCacheDir(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  if (platform === 'darwin') return join(home, 'Library/Caches/Tollgate/code')
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData/Local'), 'Tollgate/code')
  // The XDG base directory specification says to ignore relative paths.
  const caches = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache')
  return join(caches, 'tollgate/code')
}

/** Code that another user can write would run with the rights of this one. Windows protects the user's profile. */
export function isPrivate(dir: string): boolean {
  const { mode, uid } = lstatSync(dir)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
}
