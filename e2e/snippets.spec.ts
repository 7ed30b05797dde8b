// Runs the snippets of Connect: in a shell, and in Node with the packages they import.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { shareApp, test } from './app.ts'
import { open } from './views.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

const shared = shareApp()

const inNode = (code: string) => run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
const inShell = (code: string) => run('bash', ['-c', code])

for (const [tool, block, paste] of [
  ['curl', 'Terminal', inShell],
  ['Node', 'hello.mjs', inNode],
  ['Anthropic SDK', 'hello.mjs', inNode],
  ['Google Gen AI SDK', 'hello.mjs', inNode],
  ['Vercel AI SDK', 'hello.ts', inNode],
  ['LangChain', 'hello.ts', inNode],
] as const) {
  test(`${tool} works as Connect says`, async () => {
    const { window } = shared.app
    await open(window, 'Connect')
    await window.getByRole('tab', { name: tool, exact: true }).click()
    await window.getByRole('button', { name: `Create key for ${tool}` }).click()
    await expect(window.getByText(`Uses the key “${tool}”.`)).toBeVisible()
    const figure = window.getByRole('tabpanel').locator('figure').filter({ hasText: block })
    const { stdout } = await paste(await figure.locator('code').innerText())
    expect(stdout.trim()).not.toBe('')
    await expect(window.getByText(`Request received with “${tool}”`)).toBeVisible()
  })
}
