// The overview: the first step is done in place, and its spend is cut as one likes.
import { expect } from '@playwright/test'
import type { Task } from './task.ts'

export const overview: Task = async (hand, { window }) => {
  await hand.go('Overview')
  await hand.press(window.getByRole('button', { name: 'Try the sandbox' }))
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await expect(window.getByRole('list', { name: 'Spend by model' })).toContainText('sandbox-small')

  await hand.take(window.getByRole('radiogroup', { name: 'Split by' }), 'Key')
  await expect(window.getByRole('list', { name: 'Spend by key' })).toContainText('Playground')
  const chart = window.getByRole('figure', { name: 'Spend over time' })
  for (const [period, words, rows] of [
    ['Week', '12 weeks', 12],
    ['Month', '12 months', 12],
    ['Day', '30 days', 30],
  ] as const) {
    await hand.take(window.getByRole('radiogroup', { name: 'Period' }), period)
    await expect(window.getByText(`in ${words}`)).toBeVisible()
    await expect(chart.getByRole('row')).toHaveCount(rows)
  }
}
