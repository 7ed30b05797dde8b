// Counts how far a new user is from the first answer and from the first working call. The numbers are a promise.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { KeyList } from '../src/shared/keys.ts'
import { ProviderList } from '../src/shared/providers.ts'
import { RequestList } from '../src/shared/requests.ts'
import { type App, type Started, test } from './app.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

interface Effort {
  clicks: number
  /** Keys pressed: a promise of clicks must not hide typing. */
  keys: number
  /** Pages loaded since counting began: their counts would be lost. */
  loads: number
}

/** Counts what a hand does to the window from now on. */
async function countEffort(window: Page): Promise<() => Promise<Effort>> {
  let loads = 0
  window.on('load', () => {
    loads += 1
  })
  await window.evaluate(() => {
    const counts = { clicks: 0, keys: 0 }
    Reflect.set(globalThis, 'effort', counts)
    // A select opens and chooses on the pointer going down or up; each press of the button counts once.
    addEventListener('pointerdown', ({ isTrusted }) => (counts.clicks += isTrusted ? 1 : 0), {
      capture: true,
    })
    addEventListener('keydown', ({ isTrusted }) => (counts.keys += isTrusted ? 1 : 0), { capture: true })
  })
  return async () => ({ loads, ...(await window.evaluate(() => Reflect.get(globalThis, 'effort'))) })
}

/** Starts the app on a folder that does not exist yet, and holds it to having nothing: no key, request or earlier window. */
async function freshInstall(started: Started): Promise<App> {
  const dataDir = started.freshDataDir()
  expect(existsSync(dataDir)).toBe(false)
  const app = await started.launch({ dataDir })
  expect(await app.get('/v1/keys', KeyList)).toEqual({ data: [] })
  expect((await app.get('/v1/requests', RequestList)).data).toEqual([])
  const configured = (await app.get('/v1/providers', ProviderList)).data.filter((one) => one.configured)
  expect(configured.map(({ id }) => id)).toEqual(['sandbox'])
  expect(await app.window.evaluate(() => ({ ...localStorage }))).toEqual({})
  return app
}

test('a fresh install answers in the playground after at most 3 clicks', async ({ started }) => {
  const { window } = await freshInstall(started)
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

test('the first view answers in place, after one click', async ({ started }) => {
  const { window } = await freshInstall(started)
  const effort = await countEffort(window)
  await window.getByRole('button', { name: 'Try the sandbox' }).click()
  await expect(window.getByRole('article', { name: 'Answer' })).toHaveAttribute('aria-busy', 'false')
  expect(await effort()).toEqual({ clicks: 1, keys: 0, loads: 0 })
})

test('a fresh install serves an SDK after at most 5 clicks', async ({ started }) => {
  const { window, electron } = await freshInstall(started)
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
