// Filter and sort the request log, read requests and their messages one by one, export them, replay one in the playground.
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Settings } from '../../src/shared/api/account.ts'
import { captureDownload, costIn, requestRows } from '../views.ts'
import { newClient, type Task } from './task.ts'

export const requests: Task = async (driver, app) => {
  const { window, electron, dataDir, send } = app
  const openai = await newClient(app, `Log, by ${driver.name}`)
  const ask = (model: string, content: string) =>
    openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
  await ask('sandbox-small', 'Hello.')
  await ask('sandbox-small', '[[sandbox:error 400]]').catch(() => undefined)
  // Only a request with a stored body can be replayed.
  await send('PATCH', '/v1/settings', { storeBodies: true }, Settings)
  await ask('sandbox-large', 'Hello again.')
  await send('PATCH', '/v1/settings', { storeBodies: false }, Settings)

  await driver.goTo('Requests')
  await driver.select(window.getByRole('combobox', { name: 'Key' }), `Log, by ${driver.name}`)
  await expect(requestRows(window)).toHaveCount(3)
  await driver.select(window.getByRole('combobox', { name: 'Status' }), 'Failed')
  await expect(requestRows(window)).toHaveCount(1)
  expect(await window.evaluate(() => location.search)).toContain('status=failed')
  await driver.select(window.getByRole('combobox', { name: 'Status' }), 'Any status')
  await expect(requestRows(window)).toHaveCount(3)
  const cost = window.getByRole('button', { name: /^Cost: / })
  await driver.press(cost)
  await driver.fill(window.getByLabel('From, USD'), '0.000001')
  await driver.submit(window.getByRole('button', { name: 'Apply' }))
  await expect(requestRows(window)).toHaveCount(2)
  await driver.press(cost)
  await driver.press(window.getByRole('button', { name: 'Any cost', exact: true }))
  await expect(requestRows(window)).toHaveCount(3)

  const byCost = window.getByRole('columnheader', { name: 'Cost' })
  await driver.press(byCost.getByRole('button'))
  await expect(byCost).toHaveAttribute('aria-sort', 'descending')
  await expect(requestRows(window).first()).toContainText('sandbox-large')
  await expect(requestRows(window).last()).toContainText('Failed')
  await driver.press(byCost.getByRole('button'))
  await driver.press(byCost.getByRole('button'))
  await expect(byCost).not.toHaveAttribute('aria-sort')
  await expect(window.getByRole('group', { name: 'Totals' })).toContainText('3 requests')

  const detail = window.getByRole('dialog', { name: 'Request' })
  await driver.openFirstRow(requestRows(window))
  await expect(detail).toContainText('sandbox-large')
  await driver.openNextRow(requestRows(window).nth(1))
  await expect(detail).toContainText('Failed')
  await driver.openNextRow(requestRows(window).nth(2))
  await expect(detail).toContainText('sandbox-small')
  await expect(detail).toContainText('Succeeded')
  await driver.close(detail)

  const costUsd = await costIn(requestRows(window).first())
  const exportAs = async (format: 'CSV' | 'JSON') => {
    const dialog = window.getByRole('dialog', { name: 'Export requests' })
    await driver.press(window.getByRole('button', { name: 'Export', exact: true }))
    await driver.selectSegment(dialog.getByRole('radiogroup', { name: 'Format' }), format)
    await driver.press(dialog.getByRole('button', { name: `Export ${format}` }))
    await expect(dialog).toBeHidden()
  }
  const csv = await captureDownload(electron, join(dataDir, `${driver.name}.csv`))
  await exportAs('CSV')
  const lines = (await csv()).trim().split('\r\n')
  expect(lines).toHaveLength(1 + 3)
  expect(lines[1]).toContain('sandbox-large')
  expect(lines[1]).toContain(String(costUsd))
  const json = await captureDownload(electron, join(dataDir, `${driver.name}.json`))
  await exportAs('JSON')
  expect(JSON.parse(await json())).toMatchObject([
    { model: 'sandbox-large', status: 'succeeded', costUsd },
    { status: 'failed' },
    { model: 'sandbox-small', status: 'succeeded' },
  ])

  await driver.openFirstRow(requestRows(window))
  const tabs = detail.getByRole('tablist')
  await driver.selectTab(tabs, 'Messages')
  await expect(detail.getByRole('article', { name: 'User' })).toContainText('Hello again.')
  await driver.selectTab(tabs, 'Raw request')
  await expect(detail).toContainText('"model": "sandbox-large"')
  await driver.selectTab(tabs, 'Overview')
  await driver.press(detail.getByRole('button', { name: 'Open in playground' }))
  await expect(window.getByRole('heading', { name: 'Playground', exact: true })).toBeVisible()
  await expect(window.getByRole('log', { name: 'Conversation' })).toContainText('Hello again.')

  const unknown = openai.baseURL.replace(/\/v1$/, '/api/chat')
  for (let call = 0; call < 3; call++) await expect(openai.post(unknown, { body: {} })).rejects.toThrow()
  await driver.goTo('Requests')
  await driver.select(window.getByRole('combobox', { name: 'Key' }), `Log, by ${driver.name}`)
  await driver.select(window.getByRole('combobox', { name: 'Status' }), 'Rejected')
  await expect(requestRows(window)).toHaveCount(1)
  await expect(requestRows(window)).toContainText('POST /api/chat×3')
  await expect(requestRows(window)).toContainText('Rejected 404')
  await driver.openFirstRow(requestRows(window))
  await expect(detail).toContainText('Tollgate does not serve POST /api/chat yet.')
  await expect(detail).toContainText('3 calls within a minute, with the same error')
  await expect(detail.getByRole('link', { name: 'Open Connect' })).toBeVisible()
  await driver.close(detail)
}
