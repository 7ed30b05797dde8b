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

export const overlay = (view: View, what: string, show: (window: Page) => Promise<void>): Shot => ({
  name: `${view.toLowerCase()}-${what}`,
  async show(window) {
    await open(window, view)
    await show(window)
  },
})

export const press = (name: string | RegExp) => (window: Page) =>
  window.getByRole('button', { name }).first().click()

/** Opens an address, and waits for a text that it shows. */
const at = (name: string, path: string, text: string | RegExp): Shot => ({
  name,
  async show(window) {
    await window.evaluate((to) => history.pushState(null, '', to), path)
    await window.getByText(text).filter({ visible: true }).first().waitFor()
  },
})

/** Opens a panel of the playground, which stays open in a wide window. */
const openPanel = (name: string) => (window: Page) =>
  window.getByRole('button', { name, exact: true, expanded: false }).or(panel(window, name)).first().click()

const panel = (window: Page, name: string) =>
  window.getByRole('complementary', { name }).getByRole('heading', { name })

/** Dialogs, menus and panels. Escape closes each. */
export const overlayShots: readonly Shot[] = [
  overlay('Requests', 'detail', async (window) => {
    await requestRows(window).first().click()
    await window.getByRole('dialog', { name: 'Request' }).getByText('Details').waitFor()
  }),
  overlay('Requests', 'failed', async (window) => {
    // Narrow windows have the filters behind a button.
    await window.evaluate(() => history.pushState(null, '', '/requests?status=failed'))
    await requestRows(window).filter({ hasText: 'Failed' }).first().click()
    await window.getByRole('dialog', { name: 'Request' }).getByText('Details').waitFor()
  }),
  overlay('Sessions', 'detail', async (window) => {
    await window.getByRole('table', { name: 'Sessions' }).locator('tr[data-row]').first().click()
    await window.getByRole('dialog', { name: 'Session' }).getByText('Cost by model').waitFor()
  }),
  overlay('Overview', 'range', async (window) => {
    await press(/^Date range:/)(window)
    await window.getByRole('grid').waitFor()
  }),
  overlay('Usage', 'expanded', async (window) => {
    await window
      .getByRole('button', { name: /^Show the parts of/ })
      .first()
      .click()
    await window.locator('tr[aria-level="2"]').first().waitFor()
  }),
  overlay('Keys', 'create', async (window) => {
    await press('Create key')(window)
    await press('Add a limit')(window)
  }),
  overlay('Keys', 'cap', press(/cap$/)),
  overlay('Keys', 'revoke', async (window) => {
    await window
      .getByRole('button', { name: /^More actions for/ })
      .nth(1)
      .click()
    await window.getByRole('menuitem', { name: 'Revoke' }).click()
    await window.getByRole('alertdialog').getByText('last used').waitFor()
  }),
  overlay('Providers', 'add', press('Add provider')),
  overlay('Providers', 'form', async (window) => {
    await press('Add provider')(window)
    await press('Custom server')(window)
    const dialog = window.getByRole('dialog')
    await dialog.getByLabel('Base URL').fill('http://llm.example.com/v1')
    await dialog.getByLabel('API key').fill('sk-example')
  }),
  overlay('Models', 'edit', press('Edit fast')),
  overlay('Models', 'alias', press('Add alias')),
  overlay('Playground', 'parameters', openPanel('Parameters')),
  overlay('Playground', 'chats', openPanel('Chats')),
  overlay('Connect', 'set-up', async (window) => {
    await window.getByRole('tab', { name: 'Codex' }).click()
    await press('Set up for me')(window)
    await window.getByRole('dialog').getByRole('figure').first().waitFor()
  }),
  overlay('Connect', 'cursor', (window) => window.getByRole('tab', { name: 'Cursor' }).click()),
  overlay('Settings', 'records', (window) =>
    window.getByRole('heading', { name: 'Records' }).evaluate((heading) => heading.scrollIntoView()),
  ),
  at('overview-pause', '/?pause=everything', 'Pause everything?'),
  at('usage-projects', '/usage?by=tag', 'No project'),
  at('usage-sessions', '/usage?by=session', 'then by model'),
  at('estimator-plans', '/estimator?view=plans', 'Assumptions'),
  at('estimator-recorded', '/estimator?view=recorded&range=30d', 'How exact this is'),
  at('usage-reconcile', '/usage/reconcile', /^Choose a usage or cost export/),
  overlay('Requests', 'receipt', async (window) => {
    await window.evaluate(() => history.pushState(null, '', '/requests?status=succeeded'))
    await requestRows(window).first().click()
    await window
      .getByRole('dialog', { name: 'Request' })
      .getByRole('link', { name: /^Receipt/ })
      .click()
    await window.getByRole('article', { name: 'Receipt' }).waitFor()
  }),
  ...['Notifications', 'Integrations'].map((section) =>
    overlay('Settings', section.toLowerCase(), (window) =>
      window.getByRole('heading', { name: section }).evaluate((heading) => heading.scrollIntoView()),
    ),
  ),
  overlay('Overview', 'palette', async (window) => {
    await window.keyboard.press('ControlOrMeta+k')
  }),
]
