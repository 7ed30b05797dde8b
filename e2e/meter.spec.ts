import { expect } from '@playwright/test'
import { z } from 'zod'
import { KeyCreated } from '../src/shared/api/keys.ts'
import { test } from './app.ts'
import { STREAMING_MODEL, startStreamingServer } from './streaming-server.ts'
import { openMeter } from './views.ts'

test('the taximeter stays on top, grows while an answer comes, and stops the run', async ({ launcher }) => {
  const streaming = await startStreamingServer()
  const { electron: app, window, send, state } = await launcher.launch()
  const provider = { apiFormat: 'openai-chat', baseUrl: streaming.baseUrl, name: 'Local' }
  await send('PUT', '/v1/providers/local', provider, z.unknown())
  await send(
    'PUT',
    `/v1/models/${STREAMING_MODEL}`,
    { provider: 'local', pricing: { inputPerMillion: 5_000, outputPerMillion: 5_000 } },
    z.unknown(),
  )
  const { secret } = await send(
    'POST',
    '/v1/keys',
    { name: 'Agent', scope: 'full', spendLimitUsd: 500 },
    KeyCreated,
  )
  const { baseUrl } = await state()

  const meter = await openMeter(window, app)
  await expect(meter.getByText('Nothing is running.')).toBeVisible()
  const isOnTop = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((each) => each.isAlwaysOnTop()))
  expect(await isOnTop()).toBe(true)

  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: STREAMING_MODEL,
      stream: true,
      messages: [{ role: 'user', content: 'sections' }],
    }),
  })
  expect(answer.status).toBe(200)
  const text = answer.text().catch(() => 'ended')
  const run = meter.getByRole('listitem').filter({ hasText: 'Agent' })
  const today = async () =>
    Number(
      await meter.getByRole('region', { name: 'Spent today' }).locator('[data-usd]').getAttribute('data-usd'),
    )
  await expect(run).toContainText(/1 running .* (left|limit in)/)
  await expect.poll(today).toBeGreaterThan(0)
  const first = await today()
  await expect.poll(today).toBeGreaterThan(first)
  await run.getByRole('button', { name: 'Stop Agent' }).click()
  await expect(run).toContainText('Paused')
  await text
  await run.getByRole('button', { name: 'Resume Agent' }).click()
  await expect(meter.getByText('Nothing is running.')).toBeVisible()
  await meter.getByRole('button', { name: 'Close' }).click()
  await expect.poll(isOnTop).toBe(false)
  await streaming.close()
})
