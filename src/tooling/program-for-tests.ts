// Vitest's global setup: the folder of the tests' temporary files, and the program that they start. They start it about two
// hundred times, and each start would load hundreds of sources.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { BUILD_SETTINGS, findNewestSource } from './build.ts'
import { cacheDir, root } from './commands.ts'

/** The folder in memory, where Linux has one: a database waits for the disk with each commit. */
const IN_MEMORY = '/dev/shm'

/** Like the built app, two folders below the root: the program finds package.json from there. */
export const PROGRAM_DIR = join(cacheDir, 'program')
const FOLDERS = ['shared', 'features', 'gateway', 'host', 'tool-setup', 'cli', 'main'].map(
  (name) => `src/${name}`,
)

export default async function setup(): Promise<(() => void) | undefined> {
  // Each project calls this; one call is for all.
  if (process.env.TOLLGATE_TEST_PROGRAM !== undefined) return undefined
  Object.assign(process.env, await prepareProgram())
  const temporary = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'tollgate-tests-'))
  process.env.TMPDIR = temporary
  process.env.XDG_CACHE_HOME = join(temporary, 'cache')
  return () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
}

/** Builds the program if its sources are newer, and returns the variables with which tests start it. */
export async function prepareProgram(): Promise<Record<string, string>> {
  const file = join(PROGRAM_DIR, 'cli.js')
  const builtAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (builtAt <= findNewestSource([...BUILD_SETTINGS, ...FOLDERS])) await buildAsShipped(PROGRAM_DIR)
  // Tests start hundreds of workers, threads and programs, which spend a third of their time on compiling the same files.
  const compiled = process.env.NODE_COMPILE_CACHE ?? join(cacheDir, 'compiled')
  return { TOLLGATE_TEST_PROGRAM: file, NODE_COMPILE_CACHE: compiled }
}

/** What a test imports from the build. */
const MODULES = {
  store: join(root, 'src/gateway/store/store.ts'),
  'token-counter': join(root, 'src/gateway/models/tokens/token-counter.ts'),
}

/** Builds the gateway and its commands as they are shipped, so that tests see what the build makes of the sources. */
async function buildAsShipped(outDir: string): Promise<void> {
  const { mergeConfig, resolveConfig } = await import('electron-vite')
  const { NODE_ENV } = process.env
  // It sets the variable for the build; this process needs its own.
  const { config } = await resolveConfig({ root, logLevel: 'warn' }, 'build', 'production')
  await build(mergeConfig(config?.main ?? {}, { build: { outDir, rolldownOptions: { input: MODULES } } }))
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
}
