// No view, dialog or menu violates a rule of axe, of any level and impact, in light or dark mode.
import { expect, type Page } from '@playwright/test'
import OpenAI from 'openai'
import { Settings } from '../../src/shared/api/account.ts'
import { seed } from '../../src/tooling/seed/seed.ts'
import { test } from '../app.ts'
import { newClient } from '../tasks/task.ts'
import { createKey, failEveryCall, open, openMeter, requestRows, views } from '../views.ts'
import { findViolations } from './violations.ts'

// Each test has an app of its own.
test.describe.configure({ mode: 'parallel' })

async function findViolationsInViews(window: Page, when: string): Promise<string[]> {
  const found: string[] = []
  for (const view of views) {
    await open(window, view)
    await expect(window.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    found.push(...(await findViolations(window, `${view}, ${when}`)))
  }
  return found
}

test('every view is accessible, empty and when every call fails', async ({ launcher }) => {
  const { window } = await launcher.launch()
  const found = await findViolationsInViews(window, 'empty')
  await failEveryCall(window)
  found.push(...(await findViolationsInViews(window, 'when the gateway fails')))
  expect(found).toEqual([])
})

test('every view is accessible with data, and so are its dialogs and menus', async ({ launcher }) => {
  const { window, state } = await launcher.launch()
  const secret = await createKey(window, 'Laptop editor', { capUsd: '0.0003' })
  const openai = new OpenAI({ baseURL: `${(await state()).baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
  // The cap rejects the last ones.
  for (const content of ['Hello.', 'A haiku, please.', 'And another.', 'More.']) {
    await openai.chat.completions
      .create({ model: 'sandbox-large', messages: [{ role: 'user', content }] })
      .catch(() => undefined)
  }
  const found = await findViolationsInViews(window, 'with data')
  const check = async (where: string) => found.push(...(await findViolations(window, where)))

  await test.step('over Overview: the date range', async () => {
    await open(window, 'Overview')
    await window.getByRole('button', { name: /^Date range:/ }).click()
    await window.getByRole('grid').waitFor()
    await check('date range')
    await window.keyboard.press('Escape')
  })
  await test.step('in Usage: the parts of a row', async () => {
    await open(window, 'Usage')
    await window
      .getByRole('button', { name: /^Show the parts of/ })
      .first()
      .click()
    await window.locator('tr[aria-level="2"]').first().waitFor()
    await check('parts of a row of usage')
  })
  await test.step('over Requests: the detail', async () => {
    await open(window, 'Requests')
    await requestRows(window).first().click()
    await expect(window.getByRole('dialog', { name: 'Request' })).toContainText('Details')
    await check('detail of a request')
    await window.getByRole('dialog', { name: 'Request' }).getByRole('button', { name: 'Close' }).click()
    await window.getByRole('button', { name: /^Cost: / }).click()
    await check('filter by cost')
    await window.keyboard.press('Escape')
  })
  await test.step('over Sessions: the steps of one', async () => {
    await open(window, 'Sessions')
    await window.getByRole('table', { name: 'Sessions' }).locator('tr[data-row]').first().click()
    const session = window.getByRole('dialog', { name: 'Session' })
    await expect(session).toContainText('Cost by model')
    await session.getByRole('list', { name: 'Steps' }).getByRole('link').first().focus()
    await check('steps of a session')
    await session.getByRole('button', { name: 'Set a cap per session' }).click()
    await check('cap per session')
    await window.keyboard.press('Escape')
    await session.getByRole('button', { name: 'Close' }).click()
  })
  await test.step('over Keys: creating, the cap, revoking', async () => {
    await open(window, 'Keys')
    await window.getByRole('button', { name: 'Create key', exact: true }).click()
    await window.getByRole('button', { name: 'Add a limit' }).click()
    await window.getByText('Project, end date, models and rate limits').click()
    await check('create key')
    await window.getByRole('combobox', { name: /^Models of limit 1/ }).click()
    await check('models of a limit')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    const row = window.getByRole('row', { name: 'Laptop editor', exact: true })
    await row.getByRole('button', { name: /cap$/ }).click()
    await check('cap of a key')
    await window.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Laptop editor', exact: true }).click()
    await check('details of a key')
    await window.keyboard.press('Escape')
    await row.getByRole('button', { name: 'More actions for Laptop editor' }).click()
    await window.getByRole('menuitem', { name: 'Revoke' }).click()
    await expect(window.getByRole('alertdialog')).toContainText('last used')
    await check('revoke key')
    await window.keyboard.press('Escape')
  })
  await test.step('over Providers and Models: adding, editing', async () => {
    await open(window, 'Providers')
    await window.getByRole('button', { name: 'Add provider' }).click()
    await check('add provider')
    await window.getByRole('button', { name: 'Custom server' }).click()
    await check('custom provider')
    await window.keyboard.press('Escape')
    await open(window, 'Models')
    await window.getByRole('button', { name: 'Edit sandbox-small' }).click()
    await check('edit model')
    await window.keyboard.press('Escape')
    await window.getByRole('checkbox', { name: 'Select all models' }).check()
    await check('selected models')
    await window.getByRole('button', { name: 'Set price', exact: true }).click()
    await check('price of several models')
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Clear the selection' }).click()
  })
  await test.step('the playground with an answer, its parameters, the palette', async () => {
    await open(window, 'Playground')
    await window.getByLabel('Message').fill('Write a TypeScript function, please.')
    await window.getByRole('button', { name: 'Send' }).click()
    await expect(window.getByRole('article', { name: 'Answer' })).toHaveAttribute('aria-busy', 'false')
    await check('answer')
    await expect(window.getByRole('complementary', { name: 'Chats' })).toBeVisible()
    await window.getByRole('button', { name: 'Parameters' }).click()
    await window.getByRole('button', { name: 'Add model' }).click()
    await check('parameters')
    await window.keyboard.press('ControlOrMeta+k')
    await expect(window.getByPlaceholder('Search or run a command')).toBeVisible()
    await check('palette')
    await window.keyboard.press('Escape')
  })
  await test.step('the help, its menu and the list of shortcuts', async () => {
    await window.getByRole('button', { name: 'Help', exact: true }).click()
    await check('help menu')
    await window.getByRole('menuitem', { name: 'Documentation' }).click()
    await expect(window.getByRole('heading', { name: 'Get started' })).toBeVisible()
    await check('help')
    await window.keyboard.press('?')
    await expect(window.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await check('shortcuts')
    await window.keyboard.press('Escape')
    await window.getByRole('link', { name: 'HTTP API' }).click()
    await expect(window.getByRole('heading', { name: 'The sandbox' })).toBeVisible()
    await check('help on the API')
  })
  expect(found).toEqual([])
})

test('the panels of Requests are accessible', async ({ launcher }) => {
  const app = await launcher.launch()
  const { window, send } = app
  const openai = await newClient(app, 'Editor')
  const ask = () =>
    openai.chat.completions.create({
      model: 'sandbox-small',
      messages: [{ role: 'user', content: 'Hello.' }],
    })
  await send('PATCH', '/v1/settings', { storeBodies: true }, Settings)
  await ask()
  await send('PATCH', '/v1/settings', { storeBodies: false }, Settings)
  await ask()
  const found: string[] = []
  const check = async (where: string) => found.push(...(await findViolations(window, where)))
  await open(window, 'Requests')
  const detail = window.getByRole('dialog', { name: 'Request' })
  await requestRows(window).first().click()
  await detail.getByRole('tab', { name: 'Messages' }).click()
  await expect(detail.getByRole('button', { name: 'Turn on storage' })).toBeVisible()
  await check('messages that are not stored')
  await requestRows(window).last().click()
  await expect(detail.getByRole('article', { name: 'Assistant' })).toBeVisible()
  await check('messages')
  await detail.getByRole('tab', { name: 'Raw response' }).click()
  await expect(detail.getByText('"choices"')).toBeVisible()
  await check('raw response')
  await detail.getByRole('button', { name: 'Close' }).click()
  for (const button of ['Columns', 'Views', 'Export']) {
    await window.getByRole('button', { name: button, exact: true }).click()
    await check(button)
    await window.keyboard.press('Escape')
  }
  expect(found).toEqual([])
})

test('charts, pictures, the taximeter and phones are accessible', async ({ launcher }) => {
  const dataDir = launcher.newDataDir()
  seed(dataDir, { requests: 400, days: 30, now: Date.now() })
  const { window, electron } = await launcher.launch({ dataDir })
  const found: string[] = []
  const check = async (where: string, page = window) => found.push(...(await findViolations(page, where)))

  await test.step('over Overview: a tried limit, a picture, an explained term', async () => {
    await window.getByRole('slider', { name: 'Daily limit' }).focus()
    await window.keyboard.press('Home')
    const trial = window.getByRole('region', { name: 'Trial of a daily limit' })
    await trial.getByRole('button', { name: 'Show them' }).click()
    await window.getByRole('table', { name: 'Requests' }).waitFor()
    await check('rehearsal')
    await window.keyboard.press('Escape')
    await check('tried limit')
    await window.getByRole('button', { name: 'Cancel' }).click()
    await window.getByRole('button', { name: 'Share this chart' }).click()
    await window.getByRole('switch', { name: 'Hide names' }).click()
    await check('picture')
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'About reserved amounts' }).click()
    await window.getByRole('link', { name: 'Read more' }).waitFor()
    await check('explained term')
    await window.keyboard.press('Escape')
  })
  await test.step('in Requests: marked rows', async () => {
    await open(window, 'Requests')
    await requestRows(window)
      .nth(1)
      .click({ modifiers: ['ControlOrMeta'] })
    await requestRows(window)
      .nth(3)
      .click({ modifiers: ['ControlOrMeta'] })
    await expect(window.getByText('2 selected')).toBeVisible()
    await check('marked rows')
  })
  await test.step('the taximeter', async () => {
    const meter = await openMeter(window, electron)
    await meter.getByText('Nothing is running.').waitFor()
    await check('taximeter', meter)
  })
  await test.step('on a phone: every view, and the menu of views', async () => {
    await electron.evaluate(({ BrowserWindow }) => {
      const main = BrowserWindow.getAllWindows().find((each) => !each.isAlwaysOnTop())
      main?.setMinimumSize(200, 200)
      main?.setContentSize(400, 800)
    })
    await expect(window.getByRole('navigation', { name: 'Main views' })).toBeVisible()
    found.push(...(await findViolationsInViews(window, 'on a phone')))
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await check('menu of views')
    await window.keyboard.press('Escape')
    await open(window, 'Usage')
    await window.getByRole('button', { name: 'Filters' }).click()
    await check('filters on a phone')
  })
  expect(found).toEqual([])
})
