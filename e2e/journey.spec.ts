// How many clicks a new user needs for the first answer and for the first working SDK call. The limits are product requirements.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { KeyList } from '../src/shared/keys.ts'
import { ProviderList } from '../src/shared/providers.ts'
import { RequestList } from '../src/shared/requests.ts'
import { type App, type Launcher, test } from './app.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

interface Effort {
  clicks: number
  /** Keys pressed: fewer clicks must not mean more typing. */
  keys: number
  /** Pages loaded since counting began; a load would reset the counts. */
  loads: number
}

/** Counts clicks, key presses and page loads from now on. */
async function countEffort(window: Page): Promise<() => Promise<Effort>> {
  let loads = 0
  window.on('load', () => {
    loads += 1
  })
  await window.evaluate(() => {
    const counts = { clicks: 0, keys: 0 }
    Reflect.set(globalThis, 'effort', counts)
    // A select reacts to pointerdown and to pointerup; each press of the button counts once.
    addEventListener('pointerdown', ({ isTrusted }) => (counts.clicks += isTrusted ? 1 : 0), {
      capture: true,
    })
    addEventListener('keydown', ({ isTrusted }) => (counts.keys += isTrusted ? 1 : 0), { capture: true })
  })
  return async () => ({ loads, ...(await window.evaluate(() => Reflect.get(globalThis, 'effort'))) })
}

/** Starts the app on a data dir that does not exist yet, and checks that it has no keys, requests or window state. */
async function launchFreshInstall(launcher: Launcher): Promise<App> {
  const dataDir = launcher.newDataDir()
  expect(existsSync(dataDir)).toBe(false)
  const app = await launcher.launch({ dataDir })
  expect(await app.get('/v1/keys', KeyList)).toEqual({ data: [] })
  expect((await app.get('/v1/requests', RequestList)).data).toEqual([])
  const configured = (await app.get('/v1/providers', ProviderList)).data.filter((one) => one.configured)
  expect(configured.map(({ id }) => id)).toEqual(['sandbox'])
  expect(await app.window.evaluate(() => ({ ...localStorage }))).toEqual({})
  return app
}

test('a fresh install answers in the playground after at most 3 clicks', async ({ launcher }) => {
  const { window } = await launchFreshInstall(launcher)
  const effort = await countEffort(window)
  await window.getByRole('navigation').getByRole('link', { name: 'Playground', exact: true }).click()
  await window.getByRole('button', { name: /^Explain what an LLM gateway does/ }).click()
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await expect(answer.locator('[data-usd]')).toBeVisible()
  const { clicks, ...others } = await effort()
  expect(clicks).toBeLessThanOrEqual(3)
  expect(others).toEqual({ keys: 0, loads: 0 })
})

test('the first view shows an answer after one click', async ({ launcher }) => {
  const { window } = await launchFreshInstall(launcher)
  const effort = await countEffort(window)
  await window.getByRole('button', { name: 'Try the sandbox' }).click()
  await expect(window.getByRole('article', { name: 'Answer' })).toHaveAttribute('aria-busy', 'false')
  expect(await effort()).toEqual({ clicks: 1, keys: 0, loads: 0 })
})

test('a fresh install serves an SDK after at most 5 clicks', async ({ launcher }) => {
  const { window, electron } = await launchFreshInstall(launcher)
  const effort = await countEffort(window)
  await window.getByRole('button', { name: 'Create key' }).click()
  await window.getByRole('combobox', { name: 'Tool' }).click()
  await window.getByRole('option', { name: 'Node' }).click()
  await window.getByRole('button', { name: 'Copy hello.mjs' }).click()
  const { clicks, ...others } = await effort()
  expect(clicks).toBeLessThanOrEqual(5)
  expect(others).toEqual({ keys: 0, loads: 0 })

  const code = await electron.evaluate(({ clipboard }) => clipboard.readText())
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
  expect(stdout.trim()).not.toBe('')
  await expect(window.getByText(/Request received with “My first tool”/)).toBeVisible()
})
