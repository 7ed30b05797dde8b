// See that a key was paused, and by whom; list only that, and go from there to the key.
import { expect } from '@playwright/test'
import { KeyCreated, KeyMetadata } from '../../src/shared/api/keys.ts'
import type { Task } from './task.ts'

export const activity: Task = async (driver, { window, send }) => {
  const name = `Night agent of the ${driver.name}`
  const { id } = await send('POST', '/v1/keys', { name, scope: 'full' }, KeyCreated)
  await send('POST', `/v1/keys/${id}/pause`, { reason: 'It was late.' }, KeyMetadata)
  await driver.goTo('Activity')
  const rows = window.getByRole('main').getByRole('listitem').getByRole('link')
  await expect(rows.first()).toContainText(`paused “${name}”`)
  await expect(rows.first()).toContainText('It was late.')
  await driver.select(window.getByRole('combobox', { name: 'Show' }), 'Keys paused')
  await driver.openFirstRow(rows)
  const dialog = window.getByRole('dialog', { name })
  await expect(dialog.getByRole('region', { name: 'Pause' })).toContainText('It was late.')
  await driver.close(dialog)
}
