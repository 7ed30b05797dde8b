import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageScript, root, runNode } from './commands.ts'

const BUILT = ['out/main/index.js', 'out/main/cli.js', 'out/preload/index.cjs', 'out/renderer/index.html']
/** How the sources become the build. */
export const BUILD_SETTINGS = [
  ...['package.json', 'package-lock.json', 'electron.vite.config.ts'],
  ...['build-plugins', 'choose-chunk', 'threads'].map((name) => `src/tooling/${name}.ts`),
]

/**
 * Builds the app unless the build is newer than every source. Returns the build's exit code, and prints to stderr: stdout
 * belongs to the program that is started next.
 */
export async function buildIfNeeded(): Promise<number> {
  const oldestBuilt = Math.min(...BUILT.map(modifiedAt))
  return oldestBuilt >= findNewestSource([...BUILD_SETTINGS, 'src']) ? 0 : await buildApp()
}

/** Builds the app. Returns the exit code, and prints to stderr. */
export async function buildApp(): Promise<number> {
  process.stderr.write('Building…\n')
  const { code } = await runNode(packageScript('electron-vite'), ['build', '--logLevel', 'warn'], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  return code
}

/** The time in milliseconds; minus infinity when the file does not exist. */
function modifiedAt(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY
}

/** When the newest of these files, and of the sources in these folders, was modified. */
export function findNewestSource(paths: readonly string[]): number {
  return Math.max(...paths.map((path) => findNewestTime(join(root, path))))
}

/** When the newest source in a folder was modified; tests and scripts do not count. */
function findNewestTime(path: string): number {
  return path === join(root, 'src/tooling') ? 0 : newestTime(path, findNewestTime)
}

/** When the newest file in a folder was modified; tests do not count. */
export function newestTime(
  path: string,
  getTime: (child: string) => number = (child) => newestTime(child),
): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return /\.test\.tsx?$/.test(path) ? 0 : stats.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => getTime(join(path, name))))
}
