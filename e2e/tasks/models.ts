// Search for a model, override its price, disable and enable one, add an alias with ordered fallbacks.
import { expect } from '@playwright/test'
import { ModelList } from '../../src/shared/api/models.ts'
import type { Task } from './task.ts'

export const models: Task = async (driver, { window, get }) => {
  const row = (id: string) => window.getByRole('row', { name: id, exact: true })
  const dialog = window.getByRole('dialog')
  await driver.goTo('Models')
  await driver.fill(window.getByRole('searchbox', { name: 'Search models' }), 'large')
  await expect(row('sandbox-small')).toBeHidden()

  const price = driver.name === 'mouse' ? '7' : '9'
  await driver.press(window.getByRole('button', { name: 'Edit sandbox-large' }))
  await driver.fill(dialog.getByLabel('Input', { exact: true }), price)
  await driver.fill(dialog.getByLabel('Output', { exact: true }), '11')
  await driver.submit(dialog.getByRole('button', { name: 'Save' }))
  await expect(row('sandbox-large')).toContainText(new RegExp(`\\$${price}\\.00+\\$11\\.00+`))
  await driver.press(window.getByRole('button', { name: 'Edit sandbox-large' }))
  await driver.press(dialog.getByRole('button', { name: 'Reset to known values' }))
  await expect(row('sandbox-large')).not.toContainText('$11.00')

  const served = async () => (await get('/v1/models', ModelList)).data.map(({ id }) => id)
  const use = row('sandbox-large').getByRole('switch', { name: 'Use sandbox-large' })
  await driver.toggle(use)
  await expect.poll(served).not.toContain('sandbox-large')
  await driver.toggle(use)
  await expect.poll(served).toContain('sandbox-large')

  const alias = `fast-${driver.name}`
  await driver.press(window.getByRole('button', { name: 'Add alias' }))
  await driver.fill(dialog.getByLabel('Alias'), alias)
  await driver.select(dialog.getByRole('combobox', { name: 'Provider', exact: true }), 'Sandbox')
  await driver.fill(dialog.getByLabel('Provider’s model ID'), 'sandbox-small')
  await driver.fill(dialog.getByLabel('Input', { exact: true }), '0.25')
  await driver.fill(dialog.getByLabel('Output', { exact: true }), '1')
  for (const id of ['sandbox-large', 'sandbox-small']) {
    await driver.searchAndSelect(dialog.getByRole('combobox', { name: 'Add a fallback' }), id)
  }
  const chain = dialog.getByRole('listitem')
  await driver.moveUp(chain.nth(1), chain.first())
  await expect(chain.first()).toContainText('sandbox-small')
  await driver.press(dialog.getByRole('button', { name: 'Add alias' }))

  await driver.fill(window.getByRole('searchbox', { name: 'Search models' }), alias)
  await expect(row(alias)).toContainText(/\$0\.250*\$1\.00+/)
  await expect(row(alias)).toContainText('Alias of sandbox-small, then sandbox-small, sandbox-large')
}
