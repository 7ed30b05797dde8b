// Owns when the app is built: when there is no build, or a source is newer than it.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageScript, root, runNode } from './commands.ts'

const BUILT = ['out/main/index.js', 'out/main/cli.js', 'out/preload/index.cjs', 'out/renderer/index.html']
const SOURCES = ['package.json', 'package-lock.json', 'electron.vite.config.ts', 'src']

/** Builds if need be; the exit code of the build. Output goes to stderr: stdout belongs to what runs next. */
export async function buildIfNeeded(): Promise<number> {
  const oldestBuilt = Math.min(...BUILT.map(modified))
  const newestSource = Math.max(...SOURCES.map((path) => newest(join(root, path))))
  if (oldestBuilt >= newestSource) return 0
  process.stderr.write('Building…\n')
  const { code } = await runNode(packageScript('electron-vite'), ['build', '--logLevel', 'warn'], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  return code
}

/** When a built file was written, in milliseconds; minus infinity when it is not there. */
function modified(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY
}

function newest(path: string): number {
  const found = statSync(path)
  if (!found.isDirectory()) return /\.test\.tsx?$/.test(path) ? 0 : found.mtimeMs
  if (path === join(root, 'src/tooling')) return 0
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}
