// Enter a workload by slider, as exact token counts, and from the last 30 days.
import { expect } from '@playwright/test'
import { Usage } from '../../src/shared/usage.ts'
import { newClient, type Task } from './task.ts'

const DAYS = 30 * 24 * 60 * 60 * 1000

export const estimator: Task = async (driver, app) => {
  const { window, get } = app
  const openai = await newClient(app, `Estimates, by ${driver.name}`)
  await openai.chat.completions.create({
    model: 'sandbox-large',
    messages: [{ role: 'user', content: 'Hello.' }],
  })

  await driver.goTo('Estimator')
  const input = window.getByLabel('Input tokens, exactly')
  const output = window.getByLabel('Output tokens, exactly')
  const before = await input.inputValue()
  await driver.moveSlider(window.getByRole('slider', { name: /^Input tokens/ }))
  await expect(input).not.toHaveValue(before)

  await driver.fill(input, '3000000')
  await driver.fill(output, '1000000')
  const large = window.getByRole('listitem', { name: 'sandbox-large' })
  // The most used models are listed from the start.
  if ((await large.count()) === 0) {
    await driver.searchAndSelect(window.getByRole('combobox', { name: 'Add a model' }), 'sandbox-large')
  }
  await expect(large).toContainText('a month')
  const monthlyCost = await large.innerText()

  const from = new Date(Date.now() - DAYS).toISOString()
  const { total } = await get(`/v1/usage?from=${from}`, Usage)
  const shown = (count: number) => count.toLocaleString('en-US')
  // The window refreshes usage at most once a second; before that, the button would fill in the previous totals.
  await expect(
    window.getByText(`In the last 30 days: ${shown(total.tokensIn)} in, ${shown(total.tokensOut)} out`),
  ).toBeVisible()
  await driver.press(window.getByRole('button', { name: 'Use my last 30 days' }))
  await expect(input).toHaveValue(shown(total.tokensIn))
  await expect(output).toHaveValue(shown(total.tokensOut))
  await expect.poll(() => large.innerText()).not.toBe(monthlyCost)
}
