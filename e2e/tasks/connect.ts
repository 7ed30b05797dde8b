// Choose a tool, create its key, and see its first request arrive; also one that is rejected. Have a tool set up, and undo it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { KeyList } from '../../src/shared/api/keys.ts'
import { clipboard, type Task } from './task.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

export const connect: Task = async (driver, app) => {
  await connectByHand(driver, app)
  await setUp(driver, app)
}

const connectByHand: Task = async (driver, { window, electron }) => {
  await driver.goTo('Connect')
  await driver.fill(window.getByRole('searchbox', { name: 'Find a tool' }), 'node')
  await driver.submit(window.getByRole('tab', { name: 'Node' }))
  await driver.press(window.getByRole('button', { name: 'Create key for Node' }))
  await expect(window.getByText(/Waiting for the first request with “Node”/)).toBeVisible()
  await driver.press(window.getByRole('button', { name: 'Copy hello.mjs' }))
  await expect.poll(() => clipboard(electron)).toContain('baseURL')
  const text = await clipboard(electron)
  const runs = (code: string) => run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
  await expect(runs(text.replace(/\/v1(?=['"])/, ''))).rejects.toThrow()
  await expect(window.getByText(/A request with “Node” arrived .* and was rejected/)).toBeVisible()
  await expect(
    window.getByText(/The base URL must end in \/v1\. Use POST \/v1\/chat\/completions\./),
  ).toBeVisible()
  await window.reload()
  await expect(window.getByText(/A request with “Node” arrived .* and was rejected/)).toBeVisible()
  await runs(text)
  await expect(window.getByText(/Request received with “Node”/)).toBeVisible()
}

const setUp: Task = async (driver, { window, home, get }) => {
  const path = join(home, '.codex/config.toml')
  const before = '# My settings\nmodel = "o3"   # the default\n\n[tui]\ntheme = "dark"\n'
  mkdirSync(join(home, '.codex'), { recursive: true })
  writeFileSync(path, before)
  await driver.fill(window.getByRole('searchbox', { name: 'Find a tool' }), 'codex')
  await driver.submit(window.getByRole('tab', { name: 'Codex' }))
  await driver.press(window.getByRole('button', { name: 'Set up for me' }))
  const dialog = window.getByRole('dialog')
  await expect(dialog.getByText('model_provider = "tollgate"')).toBeVisible()
  await driver.fill(dialog.getByLabel('Spend cap (USD)'), '3')
  await driver.submit(dialog.getByRole('button', { name: 'Write 2 files' }))
  await expect(dialog.getByText(/^The key works, and .* is available\.$/)).toBeVisible()
  await driver.press(dialog.getByRole('button', { name: 'Done' }))

  const written = readFileSync(path, 'utf8')
  expect(written).toContain('# the default')
  expect(written).toContain('model_provider = "tollgate"\n\n[tui]')
  const [, secret] = /^TOLLGATE_API_KEY=(\S+)\n$/.exec(readFileSync(join(home, '.codex/.env'), 'utf8')) ?? []
  const [, baseUrl] = /^base_url = "(.*)"$/m.exec(written) ?? []
  const response = await fetch(`${baseUrl}/key`, { headers: { authorization: `Bearer ${secret}` } })
  expect(await response.json()).toMatchObject({ name: 'Codex', spendLimitUsd: 3 })

  await driver.press(window.getByRole('button', { name: 'Undo setup' }))
  await driver.press(window.getByRole('alertdialog').getByRole('button', { name: 'Undo setup' }))
  await expect(window.getByText('The setup of Codex is undone.')).toBeVisible()
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect(existsSync(join(home, '.codex/.env'))).toBe(false)
  const { data } = await get('/v1/keys', KeyList)
  expect(data.find(({ name }) => name === 'Codex')?.revokedAt).not.toBeNull()
}
