// Models: one is found, gets a price of its own, and another name with an order of fallbacks.
import { expect } from '@playwright/test'
import { ModelList } from '../../src/shared/models.ts'
import type { Task } from './task.ts'

export const models: Task = async (hand, { window, get }) => {
  const row = (id: string) => window.getByRole('row', { name: id, exact: true })
  const dialog = window.getByRole('dialog')
  await hand.go('Models')
  await hand.write(window.getByRole('searchbox', { name: 'Search models' }), 'large')
  await expect(row('sandbox-small')).toBeHidden()

  const price = hand.name === 'mouse' ? '7' : '9'
  await hand.press(window.getByRole('button', { name: 'Edit sandbox-large' }))
  await hand.write(dialog.getByLabel('Input', { exact: true }), price)
  await hand.write(dialog.getByLabel('Output', { exact: true }), '11')
  await hand.send(dialog.getByRole('button', { name: 'Save' }))
  await expect(row('sandbox-large')).toContainText(`$${price}.00 / $11.00`)
  await hand.press(window.getByRole('button', { name: 'Edit sandbox-large' }))
  await hand.press(dialog.getByRole('button', { name: 'Drop all of this' }))
  await expect(row('sandbox-large')).not.toContainText('Changed')

  const served = async () => (await get('/v1/models', ModelList)).data.map(({ id }) => id)
  const use = row('sandbox-large').getByRole('switch', { name: 'Use sandbox-large' })
  await hand.flip(use)
  await expect.poll(served).not.toContain('sandbox-large')
  await hand.flip(use)
  await expect.poll(served).toContain('sandbox-large')

  const alias = `fast-${hand.name}`
  await hand.press(window.getByRole('button', { name: 'Add alias' }))
  await hand.write(dialog.getByLabel('Alias'), alias)
  await hand.choose(dialog.getByRole('combobox', { name: 'Provider', exact: true }), 'Sandbox')
  await hand.write(dialog.getByLabel('Model at the provider'), 'sandbox-small')
  await hand.write(dialog.getByLabel('Input', { exact: true }), '0.25')
  await hand.write(dialog.getByLabel('Output', { exact: true }), '1')
  for (const id of ['sandbox-large', 'sandbox-small']) {
    await hand.find(dialog.getByRole('combobox', { name: 'Add a fallback' }), id)
  }
  const chain = dialog.getByRole('listitem')
  await hand.moveUp(chain.nth(1), chain.first())
  await expect(chain.first()).toContainText('sandbox-small')
  await hand.press(dialog.getByRole('button', { name: 'Add alias' }))

  await hand.write(window.getByRole('searchbox', { name: 'Search models' }), alias)
  await expect(row(alias)).toContainText('$0.25 / $1.00')
  await expect(row(alias)).toContainText('then sandbox-small, sandbox-large')
}
