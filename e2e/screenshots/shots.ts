// Owns what pictures are taken of: every view, and what opens over the views. Knows nothing of themes and sizes.
import type { Page } from '@playwright/test'
import { open, requestRows, type View, views } from '../views.ts'

export interface Shot {
  name: string
  show(window: Page): Promise<void>
}

export const viewShots: readonly Shot[] = views.map((view) => ({
  name: view.toLowerCase(),
  show: (window) => open(window, view),
}))

const over = (view: View, what: string, show: (window: Page) => Promise<void>): Shot => ({
  name: `${view.toLowerCase()}-${what}`,
  async show(window) {
    await open(window, view)
    await show(window)
  },
})

const press = (name: string | RegExp) => (window: Page) =>
  window.getByRole('button', { name }).first().click()

/** What opens over a view. Escape closes each. */
export const overShots: readonly Shot[] = [
  over('Requests', 'detail', async (window) => {
    await requestRows(window).first().click()
    await window.getByRole('dialog', { name: 'Request' }).getByText('Details').waitFor()
  }),
  over('Requests', 'failed', async (window) => {
    await window.getByRole('combobox', { name: 'Status' }).click()
    await window.getByRole('option', { name: 'Failed' }).click()
    await requestRows(window).filter({ hasText: 'Failed' }).first().click()
    await window.getByRole('dialog', { name: 'Request' }).getByText('Details').waitFor()
  }),
  over('Keys', 'create', press('Create key')),
  over('Keys', 'cap', press(/cap$/)),
  over('Keys', 'revoke', async (window) => {
    await window.getByRole('button', { name: 'Revoke' }).nth(1).click()
    await window.getByRole('alertdialog').getByText('last used').waitFor()
  }),
  over('Providers', 'add', press('Add provider')),
  over('Models', 'edit', press('Edit fast')),
  over('Models', 'alias', press('Add alias')),
  over('Playground', 'parameters', press('Parameters')),
  over('Playground', 'earlier', press('Earlier chats')),
  over('Overview', 'palette', async (window) => {
    await window.keyboard.press('ControlOrMeta+k')
  }),
]
