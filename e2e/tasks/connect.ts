// Choose a tool, create its key, and see its first request arrive; also one that is rejected.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { clipboard, type Task } from './task.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

export const connect: Task = async (driver, { window, electron }) => {
  await driver.goTo('Connect')
  await driver.selectTab(window.getByRole('tablist', { name: 'Tools' }), 'Node')
  await driver.press(window.getByRole('button', { name: 'Create a key for Node' }))
  await expect(window.getByText(/Waiting for the first request with “Node”/)).toBeVisible()
  await driver.press(window.getByRole('button', { name: 'Copy hello.mjs' }))
  await expect.poll(() => clipboard(electron)).toContain('baseURL')
  const text = await clipboard(electron)
  const runs = (code: string) => run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
  await expect(runs(text.replace(/\/v1(?=['"])/, ''))).rejects.toThrow()
  await expect(window.getByText(/A request with “Node” was rejected/)).toBeVisible()
  await expect(
    window.getByText(/The base URL must end in \/v1\. Use POST \/v1\/chat\/completions\./),
  ).toBeVisible()
  await window.reload()
  await expect(window.getByText(/A request with “Node” was rejected/)).toBeVisible()
  await runs(text)
  await expect(window.getByText(/Request received with “Node”/)).toBeVisible()
}
