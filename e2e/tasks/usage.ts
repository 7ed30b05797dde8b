// Sum up the usage by key, see what a key spent on which model, and open those requests.
import { expect } from '@playwright/test'
import type { Task } from './task.ts'

export const usage: Task = async (driver, { window }) => {
  await driver.goTo('Usage')
  await driver.press(window.getByRole('button', { name: /^Date range:/ }))
  await driver.press(window.getByRole('button', { name: 'Last 30 days', exact: true }))
  await driver.select(window.getByRole('combobox', { name: 'Rows by' }), 'By key')
  const table = window.getByRole('treegrid', { name: 'Usage' })
  const row = table.getByRole('row', { name: 'Playground', exact: true })
  await expect(row).toBeVisible()
  await driver.expandRow(row)
  const part = table.getByRole('row', { name: 'Playground, sandbox-small' })
  await expect(part).toBeVisible()

  await driver.press(table.getByRole('button', { name: 'Requests' }))
  await expect(table.getByRole('columnheader', { name: 'Requests' })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
  await driver.openRow(part)
  await expect(window.getByRole('heading', { name: 'Requests', exact: true })).toBeVisible()
  await expect(window.getByRole('table', { name: 'Requests' })).toContainText('sandbox-small')
}
