import { expect } from '@playwright/test'
import { z } from 'zod'
import { KeyCreated } from '../src/shared/api/keys.ts'
import { RequestList } from '../src/shared/api/request-queries.ts'
import { test } from './app.ts'
import { CREDENTIAL, MODEL, startUpstream } from './upstream.ts'
import { callModel, open } from './views.ts'

test('a provider’s export is compared with the log, and a request has a receipt', async ({ launcher }) => {
  const upstream = await startUpstream()
  const app = await launcher.launch()
  const { window, send, get } = app
  const provider = { apiFormat: 'openai-chat', baseUrl: upstream.baseUrl, credential: CREDENTIAL }
  await send('PUT', '/v1/providers/openai', provider, z.unknown())
  const { secret } = await send('POST', '/v1/keys', { name: 'Billing', scope: 'full' }, KeyCreated)
  const answer = await callModel(app, secret, { model: `openai/${MODEL}` })
  expect(answer.status).toBe(200)
  const record = (await get('/v1/requests', RequestList)).data[0]
  const day = record?.createdAt.slice(0, 10)

  await open(window, 'Usage')
  await window.getByRole('button', { name: 'Reconcile' }).click()
  const bill = ((record?.costUsd ?? 0) + 1).toFixed(9)
  await window
    .getByLabel('Usage export', { exact: true })
    .locator('input')
    .setInputFiles({
      name: 'bill.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`start_time,amount_value,line_item\n${day},${bill},${MODEL}\n`),
    })
  const lines = window.getByRole('region', { name: 'By day and model' })
  await expect(lines.getByRole('row', { name: MODEL })).toContainText('+$1.00')
  await window.getByRole('link', { name: 'All reports' }).click()
  await expect(window.getByRole('list', { name: 'Reports' })).toContainText('bill.csv')

  await open(window, 'Requests')
  await window.getByRole('row', { name: MODEL }).first().click()
  await window.getByRole('link', { name: 'Receipt' }).click()
  await expect(window.getByRole('article', { name: 'Receipt' })).toContainText(record?.id ?? '')
  await upstream.stop()
})
