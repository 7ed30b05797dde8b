import { expect } from '@playwright/test'
import { KeyCreated } from '../src/shared/api/keys.ts'
import { test } from './app.ts'

test('a request waits at a limit that asks, until its owner allows more in the window', async ({
  launcher,
}) => {
  const { window, send, state } = await launcher.launch()
  const { secret } = await send(
    'POST',
    '/v1/keys',
    { name: 'Agent', scope: 'full', spendLimits: [{ usd: 0.000_000_1, per: 'day', action: 'ask' }] },
    KeyCreated,
  )
  const { baseUrl } = await state()
  const chat = async () => {
    const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    return answer.status
  }
  expect(await chat()).toBe(200)
  const banner = window.getByRole('region', { name: 'Agent asks to spend more' })
  const waiting = chat()
  await expect(banner).toContainText('A request waits')
  await banner.getByRole('button', { name: 'Allow $2' }).click()
  await expect(banner).toBeHidden()
  expect(await waiting).toBe(200)
})
