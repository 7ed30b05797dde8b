// The two ways to the user interface: the window of the desktop app, and a browser that is signed in to a headless gateway.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import type { Launcher } from './app.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

export interface FrontEnd {
  window: Page
  /** The gateway's base URL, without `/v1`. */
  baseUrl: string
  /** The text on the clipboard. */
  clipboard(): Promise<string>
}

interface FrontEndOptions {
  /** A folder with data; absent for a fresh install. */
  dataDir?: string
  /** The admin key of a data dir that is not new. */
  adminKey?: string
}

export type StartFrontEnd = (launcher: Launcher, options?: FrontEndOptions) => Promise<FrontEnd>

export const frontEnds: Readonly<Record<'the desktop app' | 'a browser', StartFrontEnd>> = {
  async 'the desktop app'(launcher, { dataDir } = {}) {
    const { window, electron, state } = await launcher.launch(dataDir === undefined ? {} : { dataDir })
    const { baseUrl } = await state()
    if (baseUrl === null) throw new Error('The gateway is not listening.')
    return { window, baseUrl, clipboard: () => electron.evaluate(({ clipboard }) => clipboard.readText()) }
  },
  async 'a browser'(launcher, { dataDir, adminKey } = {}) {
    const served = await launcher.serve(dataDir === undefined ? {} : { dataDir })
    const { electron } = await launcher.launch()
    // A window without the app's preload script is what any browser on this machine would be.
    const opened = electron.waitForEvent('window')
    await electron.evaluate(async ({ BrowserWindow }, url) => {
      await new BrowserWindow({ width: 1200, height: 800, webPreferences: { partition: 'browser' } }).loadURL(
        url,
      )
    }, `${served.baseUrl}/`)
    const window = await opened
    await window.getByLabel('Admin key').fill(adminKey ?? served.adminKey ?? '')
    await window.getByRole('button', { name: 'Sign in' }).click()
    await expect(window.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
    return {
      window,
      baseUrl: served.baseUrl,
      clipboard: () => electron.evaluate(({ clipboard }) => clipboard.readText()),
    }
  },
}

/** A new admin key for a data dir that has data. */
export async function resetAdminKey(dataDir: string): Promise<string> {
  const args = [resolve(root, 'out/main/cli.js'), 'admin-key', '--reset', '--data-dir', dataDir]
  const { stdout } = await run(process.execPath, args)
  return stdout.match(/tg-[\w-]{43}/)?.[0] ?? ''
}
