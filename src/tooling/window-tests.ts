// Owns the surroundings in which the built app is tested in a real Electron: a display, a session bus, an unlocked
// keyring, and a home of its own, so that nobody's real keyring or data is touched.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from './build.ts'
import { cacheDir, type Outcome, packageScript, run, runNode } from './commands.ts'
import { electronForTests, type TestElectron } from './electron-binary.ts'
import { NOTHING, readTally, type Tally } from './test-summary.ts'

/** Playwright's projects, and the screen that each needs: pictures are taken of windows as large as a 4K display. */
const screens = { e2e: '1600x1000x24', screenshots: '4096x2304x24', bench: '1600x1000x24' } as const

/** Builds if need be and runs one of Playwright's projects. */
export async function runWindowTests(
  project: keyof typeof screens,
  filters: readonly string[],
): Promise<Tally> {
  if ((await buildIfNeeded()) !== 0) return { ...NOTHING, failed: 1 }
  const electron = await findElectron()
  if (electron === null) return { ...NOTHING, failed: 1 }
  console.log(`Testing in ${electron.origin}.`)

  const report = join(cacheDir, 'playwright.json')
  rmSync(report, { force: true })
  const home = mkdtempSync(join(tmpdir(), 'tollgate-home-'))
  try {
    const args = ['test', '--config', 'e2e/playwright.config.ts', `--project=${project}`, ...filters]
    const { code } = await inSession(
      screens[project],
      packageScript('@playwright/test', 'playwright'),
      args,
      {
        ...homeIn(home),
        TOLLGATE_TEST_ELECTRON: electron.path,
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      },
    )
    return readTally('playwright', report, code)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function findElectron(): Promise<TestElectron | null> {
  try {
    return await electronForTests()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return null
  }
}

function homeIn(dir: string): Record<string, string> {
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

// The daemon makes a new keyring, named by default, with the password it is given, and unlocks it.
const WITH_KEYRING =
  'echo -n test | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"'

function inSession(
  screen: string,
  script: string,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Outcome> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...variables }
  // Elsewhere there is one keychain, the user's own; the tests then keep credentials in memory.
  if (process.platform !== 'linux')
    return runNode(script, args, { env: { ...env, TOLLGATE_TEST_CREDENTIALS: 'memory' } })
  delete env.DBUS_SESSION_BUS_ADDRESS
  delete env.WAYLAND_DISPLAY
  return run(
    'xvfb-run',
    [
      '-a',
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
