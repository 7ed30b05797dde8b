// The log: filtered, read request by request, and taken away as a file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ElectronApplication, expect } from '@playwright/test'
import { Settings } from '../../src/shared/account.ts'
import { costIn, requestRows } from '../views.ts'
import { newClient, type Task } from './task.ts'

export const requests: Task = async (hand, app) => {
  const { window, electron, dataDir, send } = app
  const openai = await newClient(app, `Log, by ${hand.name}`)
  const ask = (model: string, content: string) =>
    openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
  await ask('sandbox-small', 'Hello.')
  await ask('sandbox-small', '[[sandbox:error 400]]').catch(() => undefined)
  // Only what is kept can be asked again.
  await send('PATCH', '/v1/settings', { storeBodies: true }, Settings)
  await ask('sandbox-large', 'Hello again.')
  await send('PATCH', '/v1/settings', { storeBodies: false }, Settings)

  await hand.go('Requests')
  await hand.choose(window.getByRole('combobox', { name: 'Key' }), `Log, by ${hand.name}`)
  await expect(requestRows(window)).toHaveCount(3)
  await hand.choose(window.getByRole('combobox', { name: 'Status' }), 'Failed')
  await expect(requestRows(window)).toHaveCount(1)
  expect(await window.evaluate(() => location.search)).toContain('status=failed')
  await hand.choose(window.getByRole('combobox', { name: 'Status' }), 'Any status')
  await expect(requestRows(window)).toHaveCount(3)
  const cost = window.getByRole('button', { name: /^Cost: / })
  await hand.press(cost)
  await hand.write(window.getByLabel('From, USD'), '0.000001')
  await hand.send(window.getByRole('button', { name: 'Show these costs' }))
  await expect(requestRows(window)).toHaveCount(2)
  await hand.press(cost)
  await hand.press(window.getByRole('button', { name: 'Any cost', exact: true }))
  await expect(requestRows(window)).toHaveCount(3)

  const detail = window.getByRole('dialog', { name: 'Request' })
  await hand.openFirst(requestRows(window))
  await expect(detail).toContainText('sandbox-large')
  await hand.stepTo(requestRows(window).nth(1))
  await expect(detail).toContainText('Failed')
  await hand.stepTo(requestRows(window).nth(2))
  await expect(detail).toContainText('sandbox-small')
  await expect(detail).toContainText('Succeeded')
  await hand.leave(detail)

  const costUsd = await costIn(requestRows(window).first())
  const menu = window.getByRole('button', { name: 'Export' })
  const csv = await saving(electron, join(dataDir, `${hand.name}.csv`))
  await hand.choose(menu, /as CSV$/)
  const lines = (await csv()).trim().split('\r\n')
  expect(lines).toHaveLength(1 + 3)
  expect(lines[1]).toContain('sandbox-large')
  expect(lines[1]).toContain(String(costUsd))
  const json = await saving(electron, join(dataDir, `${hand.name}.json`))
  await hand.choose(menu, /as JSON$/)
  expect(JSON.parse(await json())).toMatchObject([
    { model: 'sandbox-large', status: 'succeeded', costUsd },
    { status: 'failed' },
    { model: 'sandbox-small', status: 'succeeded' },
  ])

  await hand.openFirst(requestRows(window))
  await hand.press(detail.getByRole('button', { name: 'Open in playground' }))
  await expect(window.getByRole('heading', { name: 'Playground', exact: true })).toBeVisible()
  await expect(window.getByRole('log', { name: 'Conversation' })).toContainText('Hello again.')

  for (let call = 0; call < 3; call++) {
    await expect(openai.responses.create({ model: 'sandbox-small', input: 'Hello.' })).rejects.toThrow()
  }
  await hand.go('Requests')
  await hand.choose(window.getByRole('combobox', { name: 'Key' }), `Log, by ${hand.name}`)
  await hand.choose(window.getByRole('combobox', { name: 'Status' }), 'Rejected')
  await expect(requestRows(window)).toHaveCount(1)
  await expect(requestRows(window)).toContainText('POST /v1/responses×3')
  await expect(requestRows(window)).toContainText('Rejected 404')
  await hand.openFirst(requestRows(window))
  await expect(detail).toContainText('Tollgate does not serve POST /v1/responses yet.')
  await expect(detail).toContainText('3 calls within a minute, all for this reason')
  await expect(detail.getByRole('link', { name: 'Open Connect' })).toBeVisible()
  await hand.leave(detail)
}

/** Lets the next download go to `path`; what comes back waits for its end and reads it. */
async function saving(electron: ElectronApplication, path: string): Promise<() => Promise<string>> {
  await electron.evaluate(({ session }, to) => {
    const saved = new Promise((done) => {
      session.defaultSession.once('will-download', (_, item) => {
        item.setSavePath(to)
        item.once('done', (_event, state) => done(state))
      })
    })
    Reflect.set(globalThis, 'saved', saved)
  }, path)
  return async () => {
    expect(await electron.evaluate(() => Reflect.get(globalThis, 'saved'))).toBe('completed')
    return readFileSync(path, 'utf8')
  }
}
