import { expect } from '@playwright/test'
import { KeyCreated } from '../src/shared/api/keys.ts'
import { test } from './app.ts'
import { callModel } from './views.ts'

test('a request waits at a limit that asks, until its owner allows more in the window', async ({
  launcher,
}) => {
  const app = await launcher.launch()
  const { window, send } = app
  const { secret } = await send(
    'POST',
    '/v1/keys',
    { name: 'Agent', scope: 'full', spendLimits: [{ usd: 0.000_000_1, per: 'day', action: 'ask' }] },
    KeyCreated,
  )
  const chat = async () => (await callModel(app, secret)).status
  expect(await chat()).toBe(200)
  const banner = window.getByRole('region', { name: 'Agent asks to spend more' })
  const waiting = chat()
  await expect(banner).toContainText('A request to sandbox-small waits')
  await banner.getByRole('button', { name: 'Allow $2' }).click()
  await expect(banner).toBeHidden()
  expect(await waiting).toBe(200)
})
