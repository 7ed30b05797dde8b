// User actions shared by the tests. Elements are found by their accessible names.
import { readFileSync } from 'node:fs'
import { type ElectronApplication, expect, type Locator, type Page } from '@playwright/test'
import type { App } from './app.ts'

/** In the order of the sidebar. */
export const views = [
  'Overview',
  'Requests',
  'Sessions',
  'Usage',
  'Keys',
  'Providers',
  'Models',
  'Playground',
  'Connect',
  'Estimator',
  'Activity',
  'Settings',
] as const
export type View = (typeof views)[number]

export async function open(window: Page, view: View): Promise<void> {
  const link = window.getByRole('navigation').getByRole('link', { name: view, exact: true }).first()
  const more = window.getByRole('button', { name: 'More', exact: true, expanded: false })
  // On a phone, most views are in a menu.
  if (!(await link.isVisible()) && (await more.isVisible())) await more.click()
  await link.click()
  await expect(window.getByRole('heading', { name: view, exact: true })).toBeVisible()
}

/** Makes every API call of the window fail from now on and reloads the page. */
export async function failEveryCall(window: Page): Promise<void> {
  const error = { type: 'server_error', message: 'The gateway could not read its database.' }
  await window.route('**/v1/**', (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-service-request-id': 'req_0f3c5d1e7a9b4c2d8e6f0a1b2c3d4e5f' },
      json: { error },
    }),
  )
  await window.reload()
}

/** Creates a key in the window and returns its secret. */
export async function createKey(
  window: Page,
  name: string,
  options: { capUsd?: string } = {},
): Promise<string> {
  await open(window, 'Keys')
  await window.getByRole('button', { name: 'Create key', exact: true }).click()
  const dialog = window.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Spend cap (USD)').fill(options.capUsd ?? '')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByRole('button', { name: 'Copy secret' })).toBeVisible()
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.getByRole('button', { name: 'Close without copying' }).click()
  await expect(dialog).toBeHidden()
  return secret
}

export function keyRow(window: Page, name: string): Locator {
  return window.getByRole('row', { name, exact: true })
}

/** The rendered rows of the request log, newest first. */
export function requestRows(window: Page): Locator {
  return window.getByRole('table', { name: 'Requests' }).locator('tr[data-row]')
}

/** The cost that a row shows, in USD. */
export async function costIn(row: Locator): Promise<number> {
  return Number(await row.locator('[data-usd]').getAttribute('data-usd'))
}

/** Adds an OpenAI-compatible provider and waits until the window reports that it works. */
export async function addProvider(
  window: Page,
  { name, baseUrl, credential }: { name: string; baseUrl: string; credential: string },
): Promise<void> {
  await open(window, 'Providers')
  await window.getByRole('button', { name: 'Add provider' }).click()
  const dialog = window.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Custom server' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Base URL').fill(baseUrl)
  await dialog.getByLabel('API key').fill(credential)
  await dialog.getByRole('button', { name: 'Test and save' }).click()
  await expect(dialog.getByRole('status')).toContainText('Connected in')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
}

export function providerRow(window: Page, name: string): Locator {
  return window.getByRole('listitem', { name, exact: true })
}

/** Calls a model as a tool does, with the secret of a key. */
export async function callModel(
  { state }: App,
  secret: string,
  { model = 'sandbox-small', headers = {} }: { model?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const { baseUrl } = await state()
  return await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

/** Saves the next download to `path`. The returned function waits for it and reads it as text. */
export async function captureDownload(
  electron: ElectronApplication,
  path: string,
): Promise<() => Promise<string>> {
  await electron.evaluate(({ session }, to) => {
    const saved = new Promise((done) => {
      session.defaultSession.once('will-download', (_, item) => {
        item.setSavePath(to)
        item.once('done', (_event, state) => done(state))
      })
    })
    Reflect.set(globalThis, 'saved', saved)
  }, path)
  return async () => {
    expect(await electron.evaluate(() => Reflect.get(globalThis, 'saved'))).toBe('completed')
    return readFileSync(path, 'utf8')
  }
}

/** Opens the taximeter by the palette. */
export async function openMeter(window: Page, electron: ElectronApplication): Promise<Page> {
  const opened = electron.waitForEvent('window')
  await window.getByRole('button', { name: 'Search and commands' }).click()
  // The view below has choices of its own.
  await window.getByRole('dialog').getByRole('combobox').fill('Taximeter')
  await window.getByRole('option', { name: 'Taximeter', exact: true }).click()
  return await opened
}
