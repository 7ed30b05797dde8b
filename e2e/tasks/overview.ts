// Try the sandbox from the overview, then split the spend by key, show another measure, range and unit, and open the requests of
// a part of the chart.
import { expect } from '@playwright/test'
import type { Task } from './task.ts'

export const overview: Task = async (driver, { window }) => {
  await driver.goTo('Overview')
  await driver.press(window.getByRole('button', { name: 'Try the sandbox' }))
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  // Costs of the sandbox are in no total.
  await expect(window.getByText('No spend in this period.')).toBeVisible()
  await driver.select(window.getByRole('combobox', { name: 'Measure' }), 'Requests')
  await expect(window.getByRole('list', { name: 'Requests by model' })).toContainText('sandbox-small')

  await driver.select(window.getByRole('combobox', { name: 'Split by' }), 'by key')
  await expect(window.getByRole('list', { name: 'Requests by key' })).toContainText('Playground')
  const chart = (measure: string) => window.getByRole('figure', { name: `${measure} over time` })
  // The first row is the header.
  await expect(chart('Requests').getByRole('row')).toHaveCount(31)
  await driver.select(window.getByRole('combobox', { name: 'Measure' }), 'Tokens')
  await driver.press(window.getByRole('button', { name: /^Date range:/ }))
  await driver.press(window.getByRole('button', { name: 'Last 12 months' }))
  await expect(chart('Tokens').getByRole('row')).toHaveCount(13)
  await driver.select(window.getByRole('combobox', { name: 'Unit' }), 'Weeks')
  await expect(chart('Tokens').getByRole('row', { name: /^Week of/ })).not.toHaveCount(0)
  await driver.openLastColumn(chart('Tokens'))
  await expect(window.getByRole('heading', { name: 'Requests', exact: true })).toBeVisible()
  await expect(window.getByRole('table', { name: 'Requests' })).toContainText('sandbox-small')
}
