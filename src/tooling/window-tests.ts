// Tests the built app in a real Electron. On Linux with a virtual display, a session bus, an unlocked keyring and a
// temporary home folder, so that the user's own keyring and data stay untouched.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../shared/values/text.ts'
import { buildIfNeeded } from './build.ts'
import { cacheDir, type Outcome, packageScript, run, runNode } from './commands.ts'
import { electronForTests } from './electron-binary.ts'
import { packForTests } from './package/app-for-tests.ts'
import { failure, readTestCounts, type TestCounts } from './test-summary.ts'

/** The screen for each of Playwright's projects; screenshots include windows as large as a 4K display. */
const screens = {
  e2e: '1600x1000x24',
  long: '1600x1000x24',
  screenshots: '4096x2304x24',
  bench: '1600x1000x24',
} as const

type Project = keyof typeof screens

/** The projects that test the packaged app, on Linux. */
const PACKAGED: ReadonlySet<string> = new Set(['e2e', 'long'])

/** Each has a display and a keyring of its own. Screenshots and measurements have the computer for themselves. */
const SHARDS: Record<Project, number> = { e2e: 2, long: 2, screenshots: 1, bench: 1 }

/** Builds the app if necessary and runs one of Playwright's projects. */
export async function runWindowTests(project: Project, filters: readonly string[]): Promise<TestCounts> {
  if ((await buildIfNeeded()) !== 0) return failure('the app could not be built')
  const variables = await prepareApp(project)
  if (variables === null) return failure('there is no app to test')
  const count = process.platform === 'linux' ? SHARDS[project] : 1
  const shards = Array.from({ length: count }, (_, index) => ({ number: index + 1, count }))
  const reports = shards.map(({ number }) => join(cacheDir, `playwright-${number}.json`))
  for (const report of reports) rmSync(report, { force: true })
  const codes = await Promise.all(
    shards.map((shard, index) => {
      const report = { PLAYWRIGHT_JSON_OUTPUT_FILE: reports[index] ?? '' }
      return runShard(project, filters, { variables: { ...variables, ...report }, shard })
    }),
  )
  return readTestCounts('playwright', reports, Math.max(...codes))
}

interface ShardOptions {
  variables: Record<string, string>
  shard: { number: number; count: number }
}

/** Returns the exit code. */
async function runShard(
  project: Project,
  filters: readonly string[],
  { variables, shard: { number, count } }: ShardOptions,
): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-home-'))
  const args = [
    ...['test', '--config', 'e2e/playwright.config.ts', `--project=${project}`],
    ...[`--shard=${number}/${count}`, '--pass-with-no-tests', `--output=test-results/${number}`],
    ...filters,
  ]
  try {
    const script = packageScript('@playwright/test', 'playwright')
    const env = { ...createHome(home), ...variables }
    const { code } = await runInSession({ screen: screens[project], number }, script, args, env)
    return code
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Which app the tests start, as variables for e2e/app.ts; null after printing why there is none. */
async function prepareApp(project: Project): Promise<Record<string, string> | null> {
  try {
    const electron = await electronForTests()
    const isPackaged = PACKAGED.has(project) && process.platform === 'linux'
    console.log(`Testing ${isPackaged ? 'the packaged app' : 'the build'} in ${electron.origin}.`)
    const variables = { TOLLGATE_TEST_ELECTRON: electron.path }
    if (!isPackaged) return variables
    const { shipped, controllable } = await packForTests(electron)
    return { ...variables, TOLLGATE_TEST_PACKAGED: controllable, TOLLGATE_TEST_SHIPPED: shipped }
  } catch (error) {
    console.error(errorMessage(error))
    return null
  }
}

function createHome(dir: string): Record<string, string> {
  const inside = {
    HOME: dir,
    XDG_CONFIG_HOME: join(dir, '.config'),
    XDG_DATA_HOME: join(dir, '.local/share'),
    XDG_CACHE_HOME: join(dir, '.cache'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
  }
  if (process.platform !== 'linux') return {}
  for (const path of Object.values(inside)) mkdirSync(path, { recursive: true, mode: 0o700 })
  return inside
}

/** Where a shard looks for a display that is free. Two that look at the same time might take the same one. */
const FIRST_DISPLAY = 99
const DISPLAYS = 50

// The daemon creates a default keyring with the given password, and unlocks it.
const WITH_KEYRING =
  'echo -n test | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"'

/** `number`: of the display, from 1. */
function runInSession(
  { screen, number }: { screen: string; number: number },
  script: string,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Outcome> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...variables }
  // macOS and Windows have only the user's own keychain, so the tests keep credentials in memory there.
  if (process.platform !== 'linux')
    return runNode(script, args, { env: { ...env, TOLLGATE_TEST_CREDENTIALS: 'memory' } })
  delete env.DBUS_SESSION_BUS_ADDRESS
  delete env.WAYLAND_DISPLAY
  return run(
    'xvfb-run',
    [
      '-a',
      '-n',
      String(FIRST_DISPLAY + number * DISPLAYS),
      '-s',
      `-screen 0 ${screen}`,
      'dbus-run-session',
      '--',
      'bash',
      '-c',
      WITH_KEYRING,
      'bash',
      process.execPath,
      script,
      ...args,
    ],
    { env },
  )
}
