// Estimate a workload by slider, as exact numbers, and from the last 30 days; compare plans; price the recorded requests on
// another model.
import { expect } from '@playwright/test'
import type OpenAI from 'openai'
import type { App } from '../app.ts'
import type { InputDriver } from '../input-drivers/input-driver.ts'
import { newClient, type Task } from './task.ts'

export const estimator: Task = async (driver, app) => {
  const { window } = app
  const openai = await newClient(app, `Estimates, by ${driver.name}`)
  await openai.chat.completions.create({
    model: 'sandbox-large',
    messages: [{ role: 'user', content: 'Hello.' }],
  })

  await driver.goTo('Estimator')
  const input = window.getByRole('textbox', { name: 'Input tokens' })
  const large = window.getByRole('row', { name: /^sandbox-large/ })
  // It opens with what was used, and marks the models.
  await expect(window.getByText(/^Your last 30 days: /)).toBeVisible()
  await expect(large).toContainText('In use')
  await expect(window.getByRole('row', { name: /^Recorded in the last 30 days/ })).toBeVisible()
  const used = await input.inputValue()

  await driver.moveSlider(window.getByRole('slider', { name: 'Input tokens, slider' }))
  await expect(input).not.toHaveValue(used)
  await driver.fill(input, '3000000')
  await driver.fill(window.getByRole('textbox', { name: 'Output tokens' }), '1000000')
  await expect(large).toContainText('$24.00')
  await driver.press(window.getByRole('button', { name: 'Use last 30 days' }))
  await expect(input).toHaveValue(used)

  await driver.press(window.getByText('Plans and break-even'))
  await expect(window.getByRole('figure', { name: 'Monthly cost by plan' })).toBeVisible()
  await reprice(driver, app, openai)
}

/** The cost of the recorded requests with another model. */
async function reprice(driver: InputDriver, { window }: App, openai: OpenAI): Promise<void> {
  await openai.chat.completions.create({
    model: 'sandbox-large',
    messages: [{ role: 'user', content: 'To be priced.' }],
  })
  await driver.selectSegment(window.getByRole('radiogroup', { name: 'Estimate' }), 'Recorded requests')
  await driver.selectSegment(window.getByRole('radiogroup', { name: 'Models' }), 'All models')
  await driver.press(window.getByRole('button', { name: 'sandbox-small', exact: true }))
  await expect(window.getByRole('heading', { name: /^On sandbox-small: .* instead of/ })).toBeVisible()
  await expect(window.getByText(/^Savings by/)).toBeVisible()
}
