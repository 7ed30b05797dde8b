// Tests the built app in a real Electron. On Linux with a virtual display, a session bus, an unlocked keyring and a
// temporary home folder, so that the user's own keyring and data stay untouched.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { errorMessage } from '../shared/values/text.ts'
import { buildIfNeeded } from './build.ts'
import { cacheDir, packageScript, runNode } from './commands.ts'
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
const WORKERS: Record<Project, number> = { e2e: 2, long: 2, screenshots: 1, bench: 1 }

/** Builds the app if necessary and runs one of Playwright's projects. */
export async function runWindowTests(project: Project, filters: readonly string[]): Promise<TestCounts> {
  if ((await buildIfNeeded()) !== 0) return failure('the app could not be built')
  const variables = await prepareApp(project)
  if (variables === null) return failure('there is no app to test')
  const count = process.platform === 'linux' ? WORKERS[project] : 1
  const report = join(cacheDir, `playwright-${project}.json`)
  rmSync(report, { force: true })
  const args = ['test', '--config', 'e2e/playwright.config.ts', `--project=${project}`, `--workers=${count}`]
  const { WAYLAND_DISPLAY: _, ...inherited } = process.env
  const sessions = process.platform === 'linux' ? await startSessions(count, screens[project]) : []
  try {
    const { code } = await runNode(packageScript('@playwright/test', 'playwright'), [...args, ...filters], {
      env: {
        ...inherited,
        // macOS and Windows have only the user's own keychain, so the tests keep credentials in memory there.
        ...(sessions.length === 0 ? { TOLLGATE_TEST_CREDENTIALS: 'memory' } : {}),
        ...variables,
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
        TOLLGATE_TEST_SESSIONS: JSON.stringify(sessions.map((session) => session.variables)),
      },
    })
    return readTestCounts('playwright', [report], code)
  } finally {
    for (const session of sessions) session.end()
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

/** A display, a session bus with an unlocked keyring, and a home folder, as variables of a worker. */
interface Session {
  variables: Record<string, string>
  end(): void
}

/** One after another: two that look for a free display at the same time might take the same one. */
async function startSessions(count: number, screen: string): Promise<Session[]> {
  const sessions: Session[] = []
  while (sessions.length < count) sessions.push(await startSession(screen))
  return sessions
}

/** Of the session, besides those of its home. */
const SESSION_VARIABLES = ['DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS'] as const

// The daemon creates a default keyring with the given password, and unlocks it. The session ends with its standard input.
const SESSION_SCRIPT = `echo -n test | gnome-keyring-daemon --unlock --components=secrets >/dev/null
printf '%s\\t' ${SESSION_VARIABLES.map((name) => `"$${name}"`).join(' ')}
echo
exec cat >/dev/null`

async function startSession(screen: string): Promise<Session> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-home-'))
  const home = createHome(dir)
  const { DBUS_SESSION_BUS_ADDRESS: _, ...inherited } = process.env
  const command = ['dbus-run-session', '--', 'bash', '-euc', SESSION_SCRIPT]
  const child = spawn('xvfb-run', ['-a', '-s', `-screen 0 ${screen}`, ...command], {
    env: { ...inherited, ...home },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const values = line.split('\t')
    const own = SESSION_VARIABLES.map((name, index) => [name, values[index] ?? ''] as const)
    return {
      variables: { ...home, ...Object.fromEntries(own) },
      end() {
        child.stdin.end()
        rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
      },
    }
  }
  throw new Error('A display or a keyring could not be started.')
}

function createHome(dir: string): Record<string, string> {
  const inside = {
    HOME: dir,
    XDG_CONFIG_HOME: join(dir, '.config'),
    XDG_DATA_HOME: join(dir, '.local/share'),
    XDG_CACHE_HOME: join(dir, '.cache'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
  }
  for (const path of Object.values(inside)) mkdirSync(path, { recursive: true, mode: 0o700 })
  return inside
}
