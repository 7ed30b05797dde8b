// Keys: made with a cap, given more room in place, limited, and revoked.
import { expect } from '@playwright/test'
import { keyRow } from '../views.ts'
import type { Task } from './task.ts'

export const keys: Task = async (hand, { window }) => {
  const name = `Made by ${hand.name}`
  await hand.go('Keys')
  await hand.press(window.getByRole('button', { name: 'Create key', exact: true }))
  const dialog = window.getByRole('dialog')
  await hand.write(dialog.getByLabel('Name'), name)
  await hand.write(dialog.getByLabel('Spend cap (USD)'), '2.5')
  await hand.send(dialog.getByRole('button', { name: 'Create key' }))
  await expect(dialog.getByLabel('Secret', { exact: true })).toHaveValue(/^tg-[\w-]{43}$/)
  await hand.press(dialog.getByRole('button', { name: 'Done' }))
  const row = keyRow(window, name)
  await expect(row).toContainText('$2.50 left of $2.50')

  await hand.press(row.getByRole('button', { name: /cap$/ }))
  await hand.press(dialog.getByRole('button', { name: 'Raise by $5' }))
  await hand.press(dialog.getByRole('button', { name: 'Save' }))
  await expect(row).toContainText('$7.50 left of $7.50')

  await hand.choose(row.getByRole('button', { name: `More about ${name}` }), 'Edit name and limits')
  await hand.write(dialog.getByLabel('Requests per minute'), '12')
  await hand.send(dialog.getByRole('button', { name: 'Save' }))
  await expect(row).toContainText('12 requests a minute')

  await hand.press(row.getByRole('button', { name: 'Revoke' }))
  const question = window.getByRole('alertdialog')
  await expect(question).toContainText('It was never used.')
  await hand.press(question.getByRole('button', { name: 'Revoke key' }))
  await expect(row.getByText('Revoked')).toBeVisible()
}
