// Where the focus goes: into a dialog that takes the place of another and back, and past a toast.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { shareApp, test } from './app.ts'
import { open, requestRows } from './views.ts'

const shared = shareApp()

test('the form of a provider has the focus, and returns it', async () => {
  const { window } = shared.app
  await open(window, 'Providers')
  const add = window.getByRole('button', { name: 'Add provider', exact: true })
  await add.press('Enter')
  const dialog = window.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Azure OpenAI' }).press('Enter')
  await expect(dialog.getByLabel('Resource name')).toBeFocused()
  await dialog.getByRole('button', { name: 'Back' }).press('Enter')
  await dialog.getByRole('button', { name: 'Custom server' }).press('Enter')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await window.keyboard.press('Escape')
  await expect(add).toBeFocused()
})

test('the outcome of setting up a tool has the focus', async () => {
  const { window, home } = shared.app
  mkdirSync(join(home, '.codex'), { recursive: true })
  await open(window, 'Connect')
  await window.getByRole('tab', { name: 'Codex' }).press('Enter')
  await window.getByRole('button', { name: 'Set up for me' }).press('Enter')
  const dialog = window.getByRole('dialog')
  await expect(dialog.getByLabel('Name of the new key')).toBeFocused()
  await dialog.getByRole('button', { name: 'Write 2 files' }).press('Enter')
  await expect(dialog.getByRole('button', { name: 'Done' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Done' }).press('Enter')
  await expect(window.getByRole('button', { name: 'Set up again' })).toBeFocused()
})

test('the Tab key passes the panel of a request and a toast', async ({ launcher }) => {
  const { window } = await launcher.launch()
  await window.getByRole('button', { name: 'Try the sandbox' }).click()
  await expect(window.getByRole('article', { name: 'Answer' })).toHaveAttribute('aria-busy', 'false')
  await open(window, 'Providers')
  // An error stays until it is closed.
  await window.route('**/v1/providers/sandbox', (route) => route.abort())
  await window.getByRole('switch', { name: 'Use Sandbox' }).click()
  const close = window.getByRole('listitem').getByRole('button', { name: 'Close' })
  await close.waitFor()
  await open(window, 'Requests')
  await requestRows(window).first().click()
  const panel = window.getByRole('dialog', { name: 'Request' })
  await panel.getByText('Details').waitFor()
  await tabTo(window, panel.getByRole('tab', { name: 'Overview' }))
  await tabTo(window, close)
  await tabTo(window, window.getByRole('link', { name: 'Overview' }))
})

async function tabTo(window: Page, element: Locator): Promise<void> {
  const isFocused = () => element.evaluate((node) => node === document.activeElement)
  for (let step = 0; step < 60 && !(await isFocused()); step += 1) await window.keyboard.press('Tab')
  await expect(element).toBeFocused()
}
