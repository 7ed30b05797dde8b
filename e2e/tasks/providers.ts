// Add a custom provider (served by aimock): correct its base URL and its key, then save it. Order, disable and enable
// providers, test one and remove it.
import { expect } from '@playwright/test'
import { CREDENTIAL, startUpstream } from '../upstream.ts'
import { providerRow } from '../views.ts'
import type { Task } from './task.ts'

export const providers: Task = async (driver, { window }) => {
  const upstream = await startUpstream()
  try {
    await driver.goTo('Providers')
    await driver.press(window.getByRole('button', { name: 'Add provider', exact: true }))
    const dialog = window.getByRole('dialog')
    await driver.press(dialog.getByRole('button', { name: 'Custom server' }))
    await driver.fill(dialog.getByLabel('Name'), 'Office server')
    await driver.fill(dialog.getByLabel('Base URL'), upstream.baseUrl.replace(/\/v1$/, ''))
    await driver.fill(dialog.getByLabel('API key'), 'not the one')
    await driver.submit(dialog.getByRole('button', { name: 'Test and save' }))
    await expect(dialog.getByRole('status')).toContainText('The server rejected the API key (401).')

    await driver.fill(dialog.getByLabel('API key'), CREDENTIAL)
    await driver.submit(dialog.getByRole('button', { name: 'Test again' }))
    await expect(dialog.getByRole('status')).toContainText('/models answered 404. Check the base URL.')
    await driver.press(dialog.getByRole('button', { name: `Use ${upstream.baseUrl}` }))
    await expect(dialog.getByRole('status')).toContainText('Connected in')
    await driver.press(dialog.getByRole('button', { name: 'Done' }))

    const row = providerRow(window, 'Office server')
    const sandbox = providerRow(window, 'Sandbox')
    await expect(sandbox).toContainText('Ready')
    await driver.moveUp(sandbox, row)
    const first = window.getByRole('button', { name: /^Move / }).first()
    await expect(first).toHaveAccessibleName('Move Sandbox')
    await window.reload()
    await expect(first).toHaveAccessibleName('Move Sandbox')
    await driver.toggle(sandbox.getByRole('switch', { name: 'Use Sandbox' }))
    await expect(sandbox).toContainText('Off')
    await driver.toggle(sandbox.getByRole('switch', { name: 'Use Sandbox' }))
    await expect(sandbox).toContainText('Ready')

    await driver.press(row.getByRole('button', { name: 'Test' }))
    await expect(row.getByRole('status')).toContainText('Connected in')
    await driver.toggle(row.getByRole('switch', { name: 'Use Office server' }))
    await expect(row).toContainText('Off')
    await driver.select(row.getByRole('button', { name: 'More actions for Office server' }), 'Remove')
    await driver.press(window.getByRole('alertdialog').getByRole('button', { name: 'Remove provider' }))
    await expect(row).toBeHidden()
  } finally {
    await upstream.stop()
  }
}
