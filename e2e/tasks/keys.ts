// Create a key with a cap, raise the cap in the list, set a limit, revoke the key.
import { expect } from '@playwright/test'
import { keyRow } from '../views.ts'
import type { Task } from './task.ts'

export const keys: Task = async (driver, { window }) => {
  const name = `Made by ${driver.name}`
  await driver.goTo('Keys')
  await driver.press(window.getByRole('button', { name: 'Create key', exact: true }))
  const dialog = window.getByRole('dialog')
  await driver.fill(dialog.getByLabel('Name'), name)
  await driver.fill(dialog.getByLabel('Spend cap (USD)'), '2.5')
  await driver.submit(dialog.getByRole('button', { name: 'Create key' }))
  await expect(dialog.getByLabel('Secret', { exact: true })).toHaveValue(/^tg-[\w-]{43}$/)
  await driver.press(dialog.getByRole('button', { name: 'Done' }))
  await expect(dialog.getByRole('alert')).toContainText('The secret cannot be shown again.')
  await driver.press(dialog.getByRole('button', { name: 'Close without copying' }))
  const row = keyRow(window, name)
  await expect(row).toContainText('$2.50 left of $2.50')

  await driver.press(row.getByRole('button', { name: /cap$/ }))
  await driver.press(dialog.getByRole('button', { name: 'Raise by $5' }))
  await driver.press(dialog.getByRole('button', { name: 'Save' }))
  await expect(row).toContainText('$7.50 left of $7.50')

  const actions = row.getByRole('button', { name: `More actions for ${name}` })
  await driver.select(actions, 'Edit')
  await driver.fill(dialog.getByLabel('Requests per minute'), '12')
  await driver.submit(dialog.getByRole('button', { name: 'Save' }))
  await expect(row).toContainText('12 requests per minute')

  await driver.select(actions, 'Revoke')
  const question = window.getByRole('alertdialog')
  await expect(question).toContainText('It has never been used.')
  await driver.press(question.getByRole('button', { name: 'Revoke key' }))
  await expect(row).toBeHidden()
  await driver.toggle(window.getByRole('switch', { name: /^Show \d+ revoked$/ }))
  await expect(row.getByText('Revoked')).toBeVisible()
}
