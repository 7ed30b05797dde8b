// Owns starting and ending the built app in a real Electron, and headless; every test gets its own data dir, and
// everything it started is closed.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import {
  test as base,
  type ElectronApplication,
  _electron as electron,
  type Page,
  type TestInfo,
} from '@playwright/test'
import type { z } from 'zod'
import { DesktopState } from '../src/shared/desktop.ts'

const root = resolve(import.meta.dirname, '..')
const executablePath = process.env.TOLLGATE_TEST_ELECTRON ?? ''
/** Set it to keep a trace of every app in which a test failed. */
const tracing = Boolean(process.env.TOLLGATE_TEST_TRACE)
/** `keychain` where the tests have a keyring of their own, else `memory`. */
export const credentials = process.env.TOLLGATE_TEST_CREDENTIALS ?? 'keychain'

export interface App {
  electron: ElectronApplication
  window: Page
  dataDir: string
  state(): Promise<DesktopState>
  /** What the window's own API answers to GET on `path`. */
  get<T>(path: string, shape: z.ZodType<T>): Promise<T>
  /** What the window's own API answers to `body`. Throws when it refuses. */
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object, shape: z.ZodType<T>): Promise<T>
  /** Quits as a user would, and waits until the process has ended. */
  quit(): Promise<void>
}

interface Headless {
  baseUrl: string
  dataDir: string
  version: string
  adminKey?: string
}

export interface Started {
  /** Starts the app on `dataDir`, by default a new one, listening on any free port. */
  launch(options?: { dataDir?: string; port?: number }): Promise<App>
  /** Starts `tollgate serve` and reads its one line. */
  serve(options?: { dataDir?: string; port?: number }): Promise<Headless>
  freshDataDir(): string
}

/** The arguments of Electron itself for the app on a data dir. */
function appArguments(dataDir: string, port: number): string[] {
  const unsandboxed = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const flags = ['--port', String(port), '--data-dir', dataDir, '--credentials', credentials]
  return [...unsandboxed, root, ...flags]
}

/** Runs the app's Electron directly, without Playwright; for a second start that is to end by itself. */
export function spawnApp(dataDir: string): ChildProcess {
  return spawn(executablePath, appArguments(dataDir, 0), { stdio: 'ignore' })
}

export const test = base.extend<{ started: Started }>({
  started: async ({ browserName: _ }, use, testInfo) => {
    const { started, keepEvidence, end } = starter()
    await use(started)
    if (testInfo.status !== testInfo.expectedStatus) await keepEvidence(testInfo)
    await end()
  },
})

export interface Starter {
  started: Started
  /** Attaches what each running app shows to a test, and its trace if there is one. */
  keepEvidence(testInfo: TestInfo): Promise<void>
  /** Ends everything that was started, and removes its data. */
  end(): Promise<void>
}

/** For tests that share an app. The others have the fixture `started`. */
export function starter(): Starter {
  const scratch = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
  const apps = new Set<App>()
  const children = new Set<ChildProcess>()
  let made = 0
  const freshDataDir = () => join(scratch, `data-${++made}`)
  return {
    started: {
      freshDataDir,
      async launch({ dataDir = freshDataDir(), port = 0 } = {}) {
        const app = await launch(dataDir, port, (gone) => apps.delete(gone))
        apps.add(app)
        return app
      },
      async serve({ dataDir = freshDataDir(), port = 0 } = {}) {
        const args = ['serve', '--port', String(port), '--data-dir', dataDir, '--credentials', 'memory']
        const child = spawn(process.execPath, [join(root, 'out/main/cli.js'), ...args], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        children.add(child)
        return await readyLine(child)
      },
    },
    async keepEvidence(testInfo) {
      for (const [index, { window }] of [...apps].entries()) {
        // A window may be what has failed.
        const body = await window.screenshot({ timeout: 5_000 }).catch(() => null)
        if (body !== null) await testInfo.attach(`window-${index}`, { body, contentType: 'image/png' })
        if (!tracing) continue
        const path = testInfo.outputPath(`trace-${index}.zip`)
        await window.context().tracing.stop({ path })
        await testInfo.attach('trace', { path, contentType: 'application/zip' })
      }
    },
    async end() {
      for (const app of apps) await app.quit()
      await Promise.all([...children].map(ended))
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

async function launch(dataDir: string, port: number, onQuit: (app: App) => void): Promise<App> {
  const running = await electron.launch({ executablePath, args: appArguments(dataDir, port), cwd: root })
  // A trace holds every step with its page, and makes every step some times slower.
  if (tracing) await running.context().tracing.start({ screenshots: true, snapshots: true })
  const window = await running.firstWindow()
  await window.waitForLoadState('domcontentloaded')
  const app: App = {
    electron: running,
    window,
    dataDir,
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

async function readyLine(child: ChildProcess): Promise<Headless> {
  if (child.stdout === null) throw new Error('stdout is not piped')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error('tollgate serve ended before it was ready')
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once('exit', () => done())
    child.kill('SIGTERM')
  })
}
