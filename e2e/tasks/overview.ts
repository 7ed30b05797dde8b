// Try the sandbox from the overview, then split the spend by key and by period.
import { expect } from '@playwright/test'
import type { Task } from './task.ts'

export const overview: Task = async (driver, { window }) => {
  await driver.goTo('Overview')
  await driver.press(window.getByRole('button', { name: 'Try the sandbox' }))
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await expect(window.getByRole('list', { name: 'Spend by model' })).toContainText('sandbox-small')

  await driver.selectSegment(window.getByRole('radiogroup', { name: 'Split by' }), 'Key')
  await expect(window.getByRole('list', { name: 'Spend by key' })).toContainText('Playground')
  const chart = window.getByRole('figure', { name: 'Spend over time' })
  for (const [period, label, rows] of [
    ['Week', '12 weeks', 12],
    ['Month', '12 months', 12],
    ['Day', '30 days', 30],
  ] as const) {
    await driver.selectSegment(window.getByRole('radiogroup', { name: 'Period' }), period)
    await expect(window.getByText(`in ${label}`)).toBeVisible()
    await expect(chart.getByRole('row')).toHaveCount(rows)
  }
}
