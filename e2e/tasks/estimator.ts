// The estimator: a workload by slider, to the token, and as the last 30 days had it.
import { expect } from '@playwright/test'
import { Usage } from '../../src/shared/requests.ts'
import { newClient, type Task } from './task.ts'

const DAYS = 30 * 24 * 60 * 60 * 1000

export const estimator: Task = async (hand, app) => {
  const { window, get } = app
  const openai = await newClient(app, `Estimates, by ${hand.name}`)
  await openai.chat.completions.create({
    model: 'sandbox-large',
    messages: [{ role: 'user', content: 'Hello.' }],
  })

  await hand.go('Estimator')
  const input = window.getByLabel('Input tokens, exactly')
  const output = window.getByLabel('Output tokens, exactly')
  const before = await input.inputValue()
  await hand.slide(window.getByRole('slider', { name: /^Input tokens/ }))
  await expect(input).not.toHaveValue(before)

  await hand.write(input, '3000000')
  await hand.write(output, '1000000')
  const large = window.getByRole('listitem', { name: 'sandbox-large' })
  // Those used most stand there from the start.
  if ((await large.count()) === 0) {
    await hand.find(window.getByRole('combobox', { name: 'Add a model' }), 'sandbox-large')
  }
  await expect(large).toContainText('a month')
  const dear = await large.innerText()

  const from = new Date(Date.now() - DAYS).toISOString()
  const { total } = await get(`/v1/usage?from=${from}`, Usage)
  const shown = (count: number) => count.toLocaleString('en-US')
  // The window asks for its sums at most once a second: until then the button fills in the sums before this request.
  await expect(
    window.getByText(`In the last 30 days: ${shown(total.tokensIn)} in, ${shown(total.tokensOut)} out`),
  ).toBeVisible()
  await hand.press(window.getByRole('button', { name: 'Use my last 30 days' }))
  await expect(input).toHaveValue(shown(total.tokensIn))
  await expect(output).toHaveValue(shown(total.tokensOut))
  await expect.poll(() => large.innerText()).not.toBe(dear)
}
