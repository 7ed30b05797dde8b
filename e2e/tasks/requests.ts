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
  const byCost = window.getByRole('columnheader', { name: 'Cost' })
  await driver.press(byCost.getByRole('button'))
  await expect(byCost).toHaveAttribute('aria-sort', 'descending')
  await expect(requestRows(window).first()).toContainText('sandbox-large')
  await expect(requestRows(window).last()).toContainText('Failed')
  await driver.press(byCost.getByRole('button'))
  await driver.press(byCost.getByRole('button'))
  await expect(byCost).not.toHaveAttribute('aria-sort')
  await expect(window.getByRole('group', { name: 'Totals' })).toContainText('3 requests')
  // The rows stay in the order that they had until they are read again.
  await expect(requestRows(window).first()).toContainText('sandbox-large')

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
  const csv = await captureDownload(electron, join(dataDir, `${driver.name}.csv`))
  const dialog = window.getByRole('dialog', { name: 'Export requests' })
  await driver.press(window.getByRole('button', { name: 'Export', exact: true }))
  await driver.selectSegment(dialog.getByRole('radiogroup', { name: 'Format' }), 'CSV')
  await driver.press(dialog.getByRole('button', { name: 'Export CSV' }))
  await expect(dialog).toBeHidden()
  const lines = (await csv()).trim().split('\r\n')
  expect(lines).toHaveLength(1 + 3)
  expect(lines[1]).toContain('sandbox-large')
  expect(lines[1]).toContain(String(costUsd))

  await driver.openFirstRow(requestRows(window))
  const tabs = detail.getByRole('tablist')
  await driver.selectTab(tabs, 'Messages')
  await expect(detail.getByRole('article', { name: 'User' })).toContainText('Hello again.')
  await driver.selectTab(tabs, 'Overview')
  await driver.press(detail.getByRole('button', { name: 'Open in playground' }))
  await expect(window.getByRole('heading', { name: 'Playground', exact: true })).toBeVisible()
  await expect(window.getByRole('log', { name: 'Conversation' })).toContainText('Hello again.')
}
