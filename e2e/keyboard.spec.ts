// The main task of every view, with the keyboard alone.
import { expect, type Locator, type Page } from '@playwright/test'
import OpenAI from 'openai'
import { test } from './app.ts'
import { createKey, keyRow, requestRows, type View } from './views.ts'

const MOST_TABS = 120

/** Goes to a view by the command palette. */
async function go(window: Page, view: View): Promise<void> {
  await window.keyboard.press('ControlOrMeta+k')
  await expect(window.getByPlaceholder('Go to a view, or do something')).toBeFocused()
  await window.keyboard.type(view)
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: view, exact: true })).toBeVisible()
}

/** Presses Tab until the element has the focus. */
async function tabTo(window: Page, target: Locator): Promise<void> {
  for (let count = 0; count < MOST_TABS; count += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await window.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

async function press(window: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(window, target)
  await window.keyboard.press(key)
}

test('keys are made, capped and revoked', async ({ started }) => {
  const { window } = await started.launch()
  await go(window, 'Keys')
  await press(window, window.getByRole('button', { name: 'Create key', exact: true }))
  const dialog = window.getByRole('dialog')
  await tabTo(window, dialog.getByLabel('Name'))
  await window.keyboard.type('By keyboard')
  await window.keyboard.press('Enter')
  await expect(dialog.getByLabel('Secret', { exact: true })).toHaveValue(/^tg-/)
  await press(window, dialog.getByRole('button', { name: 'Done' }))

  const row = keyRow(window, 'By keyboard')
  await press(window, row.getByRole('button', { name: /cap$/ }))
  await expect(window.getByLabel('Spend cap (USD)')).toBeFocused()
  await window.keyboard.type('2.5')
  await window.keyboard.press('Enter')
  await expect(row).toContainText('$2.50 left of $2.50')

  await press(window, row.getByRole('button', { name: 'Revoke' }))
  await press(window, window.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }))
  await expect(row.getByText('Revoked')).toBeVisible()
})

test('requests are walked through, with their detail beside them', async ({ started }) => {
  const { window, state } = await started.launch()
  const openai = new OpenAI({
    baseURL: `${(await state()).baseUrl}/v1`,
    apiKey: await createKey(window, 'Caller'),
    maxRetries: 0,
  })
  for (const model of ['sandbox-small', 'sandbox-large']) {
    await openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello.' }] })
  }
  await go(window, 'Requests')
  await expect(requestRows(window)).toHaveCount(2)
  await press(window, requestRows(window).first())
  const detail = window.getByRole('dialog', { name: 'Request' })
  await expect(detail).toContainText('sandbox-large')
  await requestRows(window).first().press('ArrowDown')
  await expect(requestRows(window).nth(1)).toBeFocused()
  await expect(detail).toContainText('sandbox-small')
})

test('a provider is tried, and a model gets a price and an order of fallbacks', async ({ started }) => {
  const { window } = await started.launch()
  await go(window, 'Providers')
  const sandbox = window.getByRole('listitem', { name: 'Sandbox', exact: true })
  await press(window, sandbox.getByRole('button', { name: 'Test' }))
  await expect(sandbox.getByRole('status')).toContainText('Works')

  await go(window, 'Models')
  await press(window, window.getByRole('button', { name: 'Add alias' }))
  const dialog = window.getByRole('dialog')
  await tabTo(window, dialog.getByLabel('Alias'))
  await window.keyboard.type('fast')
  await press(window, dialog.getByRole('combobox', { name: 'Provider', exact: true }))
  await window.keyboard.press('Enter')
  await tabTo(window, dialog.getByLabel('Model at the provider'))
  await window.keyboard.type('sandbox-small')
  await tabTo(window, dialog.getByLabel('Input', { exact: true }))
  await window.keyboard.type('0.25')
  await tabTo(window, dialog.getByLabel('Output', { exact: true }))
  await window.keyboard.type('1')
  for (const name of ['sandbox-large', 'sandbox-small']) {
    await press(window, dialog.getByRole('combobox', { name: 'Add a fallback' }))
    await window.keyboard.type(name)
    await window.keyboard.press('Enter')
  }
  await tabTo(window, dialog.getByRole('button', { name: 'Move sandbox-small up' }))
  await window.keyboard.press('Enter')
  await expect(dialog.getByRole('listitem').first()).toContainText('sandbox-small')
  await press(window, dialog.getByRole('button', { name: 'Add alias' }))
  const row = window.getByRole('row', { name: 'fast', exact: true })
  await expect(row).toContainText('$0.25 / $1.00')
  await expect(row).toContainText('then sandbox-small, sandbox-large')
})

test('a workload is estimated, and a chat is held', async ({ started }) => {
  const { window } = await started.launch()
  await go(window, 'Estimator')
  const exact = window.getByLabel('Input tokens, exactly')
  const before = await exact.inputValue()
  await press(window, window.getByRole('slider', { name: /^Input tokens/ }), 'ArrowRight')
  await expect(exact).not.toHaveValue(before)
  await expect(window.getByRole('listitem', { name: 'sandbox-large' })).toContainText('a month')

  await go(window, 'Playground')
  await expect(window.getByLabel('Message')).toBeFocused()
  await window.keyboard.type('Hello there.')
  await window.keyboard.press('Enter')
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await press(window, window.getByRole('button', { name: 'Regenerate' }))
  await expect(window.getByText('2 of 2')).toBeVisible()
  await press(window, window.getByRole('button', { name: 'Edit question' }))
  await window.getByLabel('Question').press('End')
  await window.keyboard.type(' And again.')
  await window.keyboard.press('Enter')
  await expect(answer).toContainText('Hello there. And again.')
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await press(window, window.getByRole('button', { name: 'Earlier branch' }))
  await expect(answer).not.toContainText('And again.')
})

test('a tool is chosen, and a setting is changed', async ({ started }) => {
  const { window } = await started.launch()
  await go(window, 'Connect')
  await tabTo(window, window.getByRole('tab', { name: 'curl' }))
  await window.keyboard.press('ArrowDown')
  await expect(window.getByRole('tab', { name: 'Python' })).toHaveAttribute('aria-selected', 'true')
  await press(window, window.getByRole('button', { name: 'Make a key for Python' }))
  await expect(window.getByText('With the key “Python”.')).toBeVisible()
  await expect(window.getByText(/Waiting for the first request with “Python”/)).toBeVisible()

  await go(window, 'Settings')
  const bodies = window.getByRole('switch', { name: 'Store prompts and answers' })
  await press(window, bodies, 'Space')
  await expect(bodies).toHaveAttribute('aria-checked', 'true')
})
