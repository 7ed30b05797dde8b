// Checks the pages about costs below the views, and a pause, as a11y.spec.ts checks the views.
import { expect } from '@playwright/test'
import { z } from 'zod'
import { test } from '../app.ts'
import { newClient } from '../tasks/task.ts'
import { CREDENTIAL } from '../upstream.ts'
import { open, requestRows } from '../views.ts'
import { findViolations } from './violations.ts'

test('receipts, recorded requests, reconciling and a pause are accessible', async ({ launcher }) => {
  const app = await launcher.launch()
  const { window, send } = app
  await send('PATCH', '/v1/settings', { storeBodies: true }, z.unknown())
  // The provider of an export that does not name its own.
  const provider = { apiFormat: 'openai-chat', credential: CREDENTIAL }
  await send('PUT', '/v1/providers/openai', provider, z.unknown())
  const openai = await newClient(app, 'Editor')
  await openai.chat.completions.create({
    model: 'sandbox-large',
    messages: [{ role: 'user', content: 'To be priced.' }],
  })
  const found: string[] = []
  const check = async (where: string) => found.push(...(await findViolations(window, where)))

  await test.step('a receipt', async () => {
    await open(window, 'Requests')
    await requestRows(window).first().click()
    await window.getByRole('link', { name: 'Receipt' }).click()
    await expect(window.getByRole('article', { name: 'Receipt' })).toBeVisible()
    await check('receipt')
  })
  await test.step('recorded requests', async () => {
    await open(window, 'Estimator')
    await window.getByRole('radio', { name: 'Recorded requests' }).click()
    await window.getByRole('radio', { name: 'All models' }).click()
    await window.getByRole('button', { name: 'sandbox-small', exact: true }).click()
    await expect(window.getByText(/^Savings by/)).toBeVisible()
    await check('recorded requests')
  })
  await test.step('reconciling', async () => {
    await open(window, 'Usage')
    await window.getByRole('button', { name: 'Reconcile' }).click()
    await check('a place for a usage export')
    const day = new Date().toISOString().slice(0, 10)
    await window.getByLabel('Usage export', { exact: true }).setInputFiles({
      name: 'bill.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`start_time,amount_value,line_item\n${day},1.50,sandbox-large\n`),
    })
    await expect(window.getByRole('region', { name: 'By day and model' })).toBeVisible()
    await check('report')
  })
  await test.step('a pause', async () => {
    await window.keyboard.press('ControlOrMeta+k')
    await window.getByPlaceholder('Search or run a command').fill('Pause everything')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('dialog').getByRole('button', { name: 'Pause everything' })).toBeVisible()
    await check('pausing everything')
    await window.getByRole('dialog').getByRole('button', { name: 'Pause everything' }).click()
    await expect(window.getByText('Everything is paused.')).toBeVisible()
    await check('everything is paused')
  })
  expect(found).toEqual([])
})
