// The order in which the Tab key reaches what is shown over a view.
import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './app.ts'
import { open, requestRows } from './views.ts'

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
