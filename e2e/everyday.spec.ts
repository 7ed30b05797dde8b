// The window of somebody who has used Tollgate for a month, in one app. Each test begins where the one before it ended.
import { expect } from '@playwright/test'
import { KeyCreated, KeyList } from '../src/shared/api/keys.ts'
import { SumReceipt } from '../src/shared/api/receipts.ts'
import { seed } from '../src/tooling/seed/seed.ts'
import { shareApp, test } from './app.ts'
import { callModel, captureDownload, keyRow, open, providerRow, requestRows } from './views.ts'

const shared = shareApp((dataDir) => seed(dataDir, { requests: 2_000, days: 60, now: Date.now() }))
let secret: string
test.beforeAll(async () => {
  const key = { name: 'Everyday agent', scope: 'full', spendLimitUsd: 5 }
  secret = (await shared.app.send('POST', '/v1/keys', key, KeyCreated)).secret
})

/** Resolves to the status of the answer. */
async function ask(model: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await callModel(shared.app, secret, { model, headers })
  await answer.text()
  return answer.status
}

test('sums are compared with the period before, in one range for all views', async () => {
  const { window } = shared.app
  const range = window.getByRole('button', { name: /^Date range:/ })
  const spend = window.getByRole('list', { name: 'Spend by model' })
  await expect(spend.getByText('Period before')).toBeVisible()
  await expect(window.getByText(/^(Up|Down) \S+ from \$/).first()).toBeAttached()
  await range.click()
  await window.getByRole('textbox', { name: 'Type a range' }).fill('3 weeks')
  await window.keyboard.press('Enter')
  const chosen = await range.getAttribute('aria-label')
  expect(chosen).not.toMatch(/30 days/)
  for (const view of ['Usage', 'Sessions', 'Requests'] as const) {
    await open(window, view)
    await expect(range).toHaveAttribute('aria-label', chosen ?? '')
  }
  await open(window, 'Usage')
  const table = window.getByRole('treegrid', { name: 'Usage' })
  await table.getByRole('button', { name: 'Change' }).click()
  await expect(table.getByRole('columnheader', { name: 'Change' })).toHaveAttribute('aria-sort', 'descending')
})

test('a wrong model name is repaired where its error is shown', async () => {
  const { window } = shared.app
  expect(await ask('sandbox-smal')).toBe(404)
  await open(window, 'Requests')
  await requestRows(window).first().click()
  const panel = window.getByRole('dialog', { name: 'Request' })
  await panel.getByRole('button', { name: 'Add alias' }).click()
  await expect(window.getByText(/is an alias of/)).toBeVisible()
  expect(await ask('sandbox-smal')).toBe(200)
  await panel.getByRole('button', { name: 'Close' }).click()
})

test('a tool that has sent requests is shown as connected, with its own key', async () => {
  const { window } = shared.app
  expect(await ask('sandbox-small', { 'user-agent': 'codex_exec/1.0' })).toBe(200)
  await open(window, 'Connect')
  await window.getByRole('tab', { name: 'Codex' }).click()
  await expect(window.getByText(/^Connected, last request .* with “Everyday agent”$/)).toBeVisible()
  await expect(window.getByRole('combobox', { name: 'Key' })).toContainText('Everyday agent')
})

test('a session has a receipt, which can be saved', async () => {
  const { window } = shared.app
  const headers = { 'x-tollgate-session': 'Nightly build' }
  for (const model of ['sandbox-small', 'sandbox-large']) expect(await ask(model, headers)).toBe(200)
  await open(window, 'Sessions')
  const row = window
    .getByRole('table', { name: 'Sessions' })
    .getByRole('row', { name: 'Nightly build', exact: true })
  await row.click({ button: 'right' })
  await window.getByRole('menuitem', { name: 'Receipt' }).click()
  const receipt = window.getByRole('article', { name: 'Receipt' })
  await expect(receipt).toContainText('sandbox-large')
  const read = await captureDownload(shared.app.electron, `${shared.app.dataDir}-receipt.json`)
  await window.getByRole('button', { name: 'Save as JSON' }).click()
  expect(SumReceipt.parse(JSON.parse(await read())).total.requests).toBe(2)
})

test('single requests are folded in Sessions, whose sums are shown', async () => {
  const { window } = shared.app
  await open(window, 'Sessions')
  const sum = window.getByText(/^\d+ sessions · \$[\d.,]+ · median \$/)
  const count = async () => Number.parseInt((await sum.textContent()) ?? '', 10)
  const folded = await count()
  const single = window.getByRole('button', { name: /^\+ \d+ single requests?/ })
  const hidden = Number(/\d+/.exec((await single.textContent()) ?? '')?.[0])
  await single.click()
  await expect.poll(count).toBe(folded + hidden)
})

test('the playground measures a question, takes a file, and sums up each column', async () => {
  const { window } = shared.app
  await open(window, 'Playground')
  await window.getByRole('button', { name: 'Add model' }).click()
  await window
    .getByLabel('Files', { exact: true })
    .setInputFiles({ name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tolls') })
  const message = window.getByRole('textbox', { name: /^Message/ })
  await expect(message).toHaveValue(/# Tolls/)
  await expect(window.getByText(/^About \d+ tokens · <1% of the context/)).toBeVisible()
  await message.press('Enter')
  for (const column of [1, 2]) {
    const head = window.getByRole('button', { name: `Remove model ${column}` }).locator('xpath=../..')
    await expect(head).toContainText(/\d+ tokens · \$0\.\d+ sample/)
  }
  await window.getByRole('button', { name: 'Remove model 2' }).click()
})

test('marked rows are changed together, and a row has a menu', async () => {
  const { window, get } = shared.app
  await shared.app.send('POST', '/v1/keys', { name: 'Second agent', scope: 'full' }, KeyCreated)
  await open(window, 'Keys')
  await keyRow(window, 'Everyday agent').click({ modifiers: ['Control'], position: { x: 300, y: 8 } })
  await keyRow(window, 'Second agent').click({ modifiers: ['Control'], position: { x: 300, y: 8 } })
  await expect(window.getByText('2 selected')).toBeVisible()
  await window.getByRole('button', { name: 'Pause', exact: true }).click()
  const countPaused = async () =>
    (await get('/v1/keys', KeyList)).data.filter(({ pausedAt }) => pausedAt !== null).length
  await expect.poll(countPaused).toBe(2)
  await window.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(countPaused).toBe(0)
  await keyRow(window, 'Second agent').click({ button: 'right' })
  await window.getByRole('menuitem', { name: 'View usage' }).click()
  await expect(window.getByRole('heading', { name: 'Usage', exact: true })).toBeVisible()

  await open(window, 'Providers')
  const sandbox = providerRow(window, 'Sandbox')
  await sandbox.getByRole('heading').click({ modifiers: ['Control'] })
  await window.getByRole('button', { name: 'Disable' }).click()
  await expect(sandbox).toContainText('Off')
  await window.getByRole('button', { name: 'Undo' }).click()
  await expect(sandbox).toContainText('Ready')
})

test('the palette begins with what is recent, and offers what can be done with it', async () => {
  const { window } = shared.app
  await window.getByRole('button', { name: 'Search and commands' }).click()
  const palette = window.getByRole('dialog')
  await palette.getByRole('combobox').fill('everyday')
  await expect(palette.getByRole('option', { name: /^Everyday agent/ })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await window.keyboard.press('Tab')
  await palette.getByRole('option', { name: 'View requests' }).click()
  await expect(window).toHaveURL(/\/requests\?key=/)
  await window.getByRole('button', { name: 'Search and commands' }).click()
  await expect(palette.getByRole('option').first()).toContainText('Everyday agent')
  await window.keyboard.press('Escape')
})

test('the help finds a word, and a term in a view explains itself', async () => {
  const { window } = shared.app
  await open(window, 'Overview')
  await window.getByRole('button', { name: 'About reserved amounts' }).click()
  await window.getByRole('link', { name: 'Read more' }).click()
  await window.getByRole('searchbox', { name: 'Search the help' }).fill('compact')
  await expect(window.getByRole('navigation', { name: 'Help' }).getByRole('link').first()).toBeVisible()
})

test('amounts have a second currency, and rows are compact', async () => {
  const { window } = shared.app
  await open(window, 'Settings')
  await window.getByRole('combobox', { name: 'Second currency' }).click()
  await window.getByRole('option', { name: 'EUR' }).click()
  await window.getByLabel('EUR for 1 USD').fill('0.5')
  await window.keyboard.press('Enter')
  await expect(window.getByText(/^Shown next to USD at the rate of/)).toBeVisible()
  await window.getByRole('combobox', { name: 'Height of rows' }).click()
  await window.getByRole('option', { name: 'Compact' }).click()
  await open(window, 'Overview')
  await expect(window.getByText(/€[\d,.]+/).first()).toBeVisible()
  await open(window, 'Requests')
  expect((await requestRows(window).first().boundingBox())?.height).toBe(30)
})
