// Starts the built app in Electron and headless. Every test gets its own data dir, and every process it started is
// stopped at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import {
  test as base,
  type ElectronApplication,
  _electron as electron,
  type Page,
  type TestInfo,
} from '@playwright/test'
import type { z } from 'zod'
import { DesktopState } from '../src/shared/desktop/desktop.ts'

const root = resolve(import.meta.dirname, '..')
/** The packaged app with a debugger; undefined if the build is tested without packing it. */
const packaged = process.env.TOLLGATE_TEST_PACKAGED
/** The packaged app as it is shipped. */
export const shipped = process.env.TOLLGATE_TEST_SHIPPED
/** Set it to keep a trace of every app in which a test failed. */
const tracing = Boolean(process.env.TOLLGATE_TEST_TRACE)
/** `keychain` where the tests run with a test keyring, else `memory`. */
export const credentials = process.env.TOLLGATE_TEST_CREDENTIALS ?? 'keychain'

export interface App {
  electron: ElectronApplication
  window: Page
  dataDir: string
  /** The home folder of the app's user, where tools have their configuration. */
  home: string
  state(): Promise<DesktopState>
  /** The response to a GET from the window. */
  get<T>(path: string, shape: z.ZodType<T>): Promise<T>
  /** The response to a request from the window. Throws when its status is not 2xx. */
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object, shape: z.ZodType<T>): Promise<T>
  /** Quits as a user would and waits until the process has exited. */
  quit(): Promise<void>
}

interface Headless {
  baseUrl: string
  dataDir: string
  version: string
  adminKey?: string
}

interface LaunchOptions {
  dataDir?: string
  port?: number
  /** A copy of the built app. */
  appDir?: string
  /** A `tollgate://` link, as the operating system passes it. */
  link?: string
  /** Variables besides those of this process. */
  env?: Record<string, string>
}

export interface Launcher {
  /** Starts the app on `dataDir`, by default a new one, on any free port. */
  launch(options?: LaunchOptions): Promise<App>
  /** Starts `tollgate serve` and reads the line it prints when it is ready. */
  serve(options?: { dataDir?: string; port?: number }): Promise<Headless>
  newDataDir(): string
}

/** Chromium refuses to start its sandbox as root. */
const unsandboxed = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** The arguments of the installed app for a data dir. */
export function installedArguments(dataDir: string, port: number): string[] {
  return [...unsandboxed, '--port', String(port), '--data-dir', dataDir, '--credentials', credentials]
}

interface StartOptions {
  executablePath: string
  args: string[]
}

/** The packaged app, or Electron with the path of the build where the tests have none, or of a copy of the build. */
function appProcess(dataDir: string, { port = 0, appDir, link }: LaunchOptions): StartOptions {
  const args = [...installedArguments(dataDir, port), ...(link === undefined ? [] : [link])]
  if (packaged !== undefined && appDir === undefined) return { executablePath: packaged, args }
  return {
    executablePath: process.env.TOLLGATE_TEST_ELECTRON ?? '',
    args: args.toSpliced(unsandboxed.length, 0, appDir ?? root),
  }
}

/** Runs Electron without Playwright, for a second instance that should exit by itself. */
export function spawnApp(dataDir: string, link: string): ChildProcess {
  const { executablePath, args } = appProcess(dataDir, { link })
  return spawn(executablePath, args, { stdio: 'ignore' })
}

export const test = base.extend<{ launcher: Launcher }>({
  launcher: async ({ browserName: _ }, use, testInfo) => {
    const { launcher, attachEvidence, close } = createLauncherSession()
    await use(launcher)
    if (testInfo.status !== testInfo.expectedStatus) await attachEvidence(testInfo)
    await close()
  },
})

interface LauncherSession {
  launcher: Launcher
  /** Attaches a screenshot of each running app to a test, and its trace if there is one. */
  attachEvidence(testInfo: TestInfo): Promise<void>
  /** Stops every process that was started and removes its data. */
  close(): Promise<void>
}

function createLauncherSession(): LauncherSession {
  const scratch = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
  const apps = new Set<App>()
  const children = new Set<ChildProcess>()
  let count = 0
  const newDataDir = () => join(scratch, `data-${++count}`)
  return {
    launcher: {
      newDataDir,
      async launch({ dataDir = newDataDir(), ...options } = {}) {
        const app = await launch(dataDir, options, (closed) => apps.delete(closed))
        apps.add(app)
        return app
      },
      async serve({ dataDir = newDataDir(), port = 0 } = {}) {
        const args = ['serve', '--port', String(port), '--data-dir', dataDir, '--credentials', 'memory']
        const child = spawn(process.execPath, [join(root, 'out/main/cli.js'), ...args], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        children.add(child)
        return await readReadyLine(child)
      },
    },
    async attachEvidence(testInfo) {
      for (const [index, { window }] of [...apps].entries()) {
        // The window itself may have crashed.
        const body = await window.screenshot({ timeout: 5_000 }).catch(() => null)
        if (body !== null) await testInfo.attach(`window-${index}`, { body, contentType: 'image/png' })
        if (!tracing) continue
        const path = testInfo.outputPath(`trace-${index}.zip`)
        await window.context().tracing.stop({ path })
        await testInfo.attach('trace', { path, contentType: 'application/zip' })
      }
    },
    async close() {
      for (const app of apps) await app.quit()
      await Promise.all([...children].map(stopChild))
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

/**
 * One app for the tests of a group, which run in their order and see what the ones before them have left: starting an app takes
 * most of a short test's time. `fill` may put data into the new data dir.
 */
export function shareApp(fill: (dataDir: string) => void = () => undefined): { readonly app: App } {
  let session: LauncherSession
  let app: App
  test.beforeAll(async () => {
    session = createLauncherSession()
    const dataDir = session.launcher.newDataDir()
    fill(dataDir)
    app = await session.launcher.launch({ dataDir })
  })
  test.afterEach(async ({ browserName: _ }, testInfo) => {
    if (testInfo.status !== testInfo.expectedStatus) await session.attachEvidence(testInfo)
  })
  test.afterAll(() => session.close())
  return {
    get app() {
      return app
    },
  }
}

async function launch(dataDir: string, options: LaunchOptions, onQuit: (app: App) => void): Promise<App> {
  const home = join(dirname(dataDir), 'home')
  mkdirSync(home, { recursive: true })
  const running = await electron.launch({
    ...appProcess(dataDir, options),
    cwd: root,
    env: { ...environment(home), ...options.env },
  })
  // A trace records the page at every step, which makes every step several times slower.
  if (tracing) await running.context().tracing.start({ screenshots: true, snapshots: true })
  const window = await running.firstWindow()
  // The page may still be the empty one of a new window, which takes no keys.
  await window.getByRole('navigation').first().waitFor()
  const app: App = {
    electron: running,
    window,
    dataDir,
    home,
    state: async () =>
      DesktopState.parse(await window.evaluate(() => Reflect.get(window, 'desktop').getState())),
    get: async (path, shape) =>
      shape.parse(await window.evaluate(async (url) => (await fetch(url)).json(), path)),
    send: async (method, path, body, shape) => {
      const { ok, answer } = await window.evaluate(
        async ([verb, url, text]) => {
          const headers = { 'content-type': 'application/json' }
          const response = await fetch(url, { method: verb, headers, body: text })
          return { ok: response.ok, answer: await response.json() }
        },
        [method, path, JSON.stringify(body)] as const,
      )
      if (!ok) throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer)}`)
      return shape.parse(answer)
    },
    async quit() {
      onQuit(app)
      await running.close()
    },
  }
  return app
}

/** This process's variables with another home folder and a fixed locale, and without those that move the folders of tools. */
function environment(home: string): Record<string, string> {
  const moved = ['XDG_CONFIG_HOME', 'CODEX_HOME', 'CLAUDE_CONFIG_DIR']
  const entries = Object.entries({ ...process.env, HOME: home, USERPROFILE: home, LC_ALL: 'en_GB.UTF-8' })
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined || moved.includes(name) ? [] : [[name, value]])),
  )
}

async function readReadyLine(child: ChildProcess): Promise<Headless> {
  if (child.stdout === null) throw new Error('stdout is not piped')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error('tollgate serve exited before it was ready')
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once('exit', () => done())
    child.kill('SIGTERM')
  })
}
