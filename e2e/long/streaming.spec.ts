// Long answers in the playground: the window stays responsive, and shows the times of the requests' records.
import { expect, type Locator } from '@playwright/test'
import { z } from 'zod'
import { type App, test } from '../app.ts'
import { measureLongestTasks } from '../main-thread.ts'
import { STREAMING_MODEL, startStreamingServer } from '../streaming-server.ts'
import { open } from '../views.ts'

/** A window that is blocked hangs for seconds; its speed is measured by `npm run bench:window`. */
const MAX_TASK_MS = 1_000
const STREAM_TIMEOUT_MS = 60_000

async function ask({ window }: App, text: string, count: number): Promise<Locator> {
  await window.getByLabel('Message', { exact: true }).fill(text)
  await window.getByRole('button', { name: 'Send' }).click()
  const answers = window.getByRole('article', { name: 'Answer' })
  await expect(answers).toHaveCount(count)
  await expect(answers.last()).toHaveAttribute('aria-busy', 'false', { timeout: STREAM_TIMEOUT_MS })
  return answers.last()
}

test('long answers never block the window, and show the times of their records', async ({ launcher }) => {
  test.setTimeout(4 * STREAM_TIMEOUT_MS)
  const server = await startStreamingServer()
  const app = await launcher.launch()
  const { window } = app
  try {
    const path = '/v1/providers/streams'
    await app.send(
      'PUT',
      path,
      { apiFormat: 'openai-chat', name: 'Streams', baseUrl: server.baseUrl },
      z.unknown(),
    )
    await app.send('POST', `${path}/models`, {}, z.unknown())
    await open(window, 'Playground')
    await window.getByRole('combobox', { name: 'Model' }).click()
    await window.getByRole('option', { name: STREAMING_MODEL }).click()

    let shown: Locator | undefined
    for (const [index, question] of [
      'first sections',
      'second sections',
      'one paragraph',
      'one burst',
    ].entries()) {
      const longest = await measureLongestTasks(app, async () => {
        shown = await ask(app, question, index + 1)
      })
      test.info().annotations.push({ type: question, description: JSON.stringify(longest) })
      expect(longest.cpuMs, question).toBeLessThan(MAX_TASK_MS)
    }
    if (!shown) throw new Error('nothing was answered')

    // The speed comes with the record, after the end of the answer.
    await expect(shown.locator('[data-time]')).toHaveCount(3)
    const times = await shown.locator('[data-time]').allTextContents()
    await shown.getByRole('link', { name: 'Receipt' }).click()
    const detail = window.getByRole('dialog', { name: 'Request' })
    const [total = '', firstToken = ''] = times
    await expect(
      detail.getByText('Total', { exact: true }).locator('xpath=following-sibling::dd'),
    ).toHaveText(total)
    await expect(detail).toContainText(firstToken.replace('first token ', ''))
  } finally {
    server.close()
  }
})

test('sending goes to the end, and the conversation follows until the user scrolls up', async ({
  launcher,
}) => {
  const app = await launcher.launch()
  const { window } = app
  await open(window, 'Playground')
  const log = window.getByRole('log', { name: 'Conversation' })
  const jump = window.getByRole('button', { name: 'Jump to latest' })
  const distanceFromEnd = () =>
    log.evaluate((view) => Math.round(view.scrollHeight - view.scrollTop - view.clientHeight))

  const answer = await ask(app, '[[sandbox:tokens 1500]] A long answer.', 1)
  await expect(answer.getByRole('link', { name: 'Receipt' })).toBeInViewport()
  await expect.poll(distanceFromEnd).toBeLessThan(2)
  await expect(jump).toBeHidden()

  await log.hover()
  await window.mouse.wheel(0, -400)
  await expect(jump).toBeVisible()
  await jump.click()
  await expect(jump).toBeHidden()
  await expect.poll(distanceFromEnd).toBeLessThan(2)

  await log.hover()
  await window.mouse.wheel(0, -100_000)
  await expect(jump).toBeVisible()
  await window.getByLabel('Message', { exact: true }).fill('[[sandbox:stall]] Are you there?')
  await window.keyboard.press('Enter')
  await expect(window.getByText('Are you there?', { exact: false }).first()).toBeInViewport()
  await expect(jump).toBeHidden()

  await expect(window.getByRole('button', { name: 'Stop' })).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(window.getByRole('article', { name: 'Answer' }).last()).toContainText('Stopped')
  await expect(window.getByLabel('Message', { exact: true })).toBeFocused()
})
