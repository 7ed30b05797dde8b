// Providers: one is added from the gallery against a server that others wrote, tested, and removed; the sandbox stays
// beside it until it is turned off.
import { expect } from '@playwright/test'
import { CREDENTIAL, startUpstream } from '../upstream.ts'
import { providerRow } from '../views.ts'
import type { Task } from './task.ts'

export const providers: Task = async (hand, { window }) => {
  const upstream = await startUpstream()
  try {
    await hand.go('Providers')
    await hand.press(window.getByRole('button', { name: 'Add provider', exact: true }))
    const dialog = window.getByRole('dialog')
    await hand.press(dialog.getByRole('button', { name: 'Custom OpenAI-compatible' }))
    await hand.write(dialog.getByLabel('Name'), 'House server')
    await hand.write(dialog.getByLabel('Base URL'), upstream.baseUrl)
    await hand.write(dialog.getByLabel('Credential'), 'not the one')
    await hand.send(dialog.getByRole('button', { name: 'Save and test' }))
    await expect(dialog.getByRole('status')).toContainText('Does not work')

    await hand.write(dialog.getByLabel('Credential'), CREDENTIAL)
    await hand.send(dialog.getByRole('button', { name: 'Save and test' }))
    await expect(dialog.getByRole('status')).toContainText('Works')
    await hand.press(dialog.getByRole('button', { name: 'Done' }))

    const row = providerRow(window, 'House server')
    const sandbox = providerRow(window, 'Sandbox')
    await expect(sandbox).toContainText('Ready')
    await hand.flip(sandbox.getByRole('switch', { name: 'Use Sandbox' }))
    await expect(sandbox).toContainText('Off')
    await hand.flip(sandbox.getByRole('switch', { name: 'Use Sandbox' }))
    await expect(sandbox).toContainText('Ready')

    await hand.press(row.getByRole('button', { name: 'Test' }))
    await expect(row.getByRole('status')).toContainText('Works')
    await hand.flip(row.getByRole('switch', { name: 'Use House server' }))
    await expect(row).toContainText('Off')
    await hand.choose(row.getByRole('button', { name: 'More about House server' }), 'Remove')
    await hand.press(window.getByRole('alertdialog').getByRole('button', { name: 'Remove provider' }))
    await expect(row).toBeHidden()
  } finally {
    await upstream.stop()
  }
}
