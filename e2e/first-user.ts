// A first-time user from the start to the answer to "who spent it", in the desktop app and in a browser. The number of
// clicks that each step may take is a product requirement.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import OpenAI from 'openai'
import { seed } from '../src/tooling/seed/seed.ts'
import { test } from './app.ts'
import { countEffort } from './effort.ts'
import { frontEnds, resetAdminKey } from './front-ends.ts'
import { ANSWER, CREDENTIAL, MODEL, startUpstream } from './upstream.ts'
import { createKey, open } from './views.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

const ask = (model: string) => ({ model, messages: [{ role: 'user' as const, content: 'Hello.' }] })

function client(baseUrl: string, secret: string): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
}

const sidebarLink = (window: Page, name: string) =>
  window.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true })

export function describeFirstUser(where: keyof typeof frontEnds): void {
  const start = frontEnds[where]
  test.describe(`in ${where}`, () => {
    test('from the start to an answer, a key, an SDK call and its cost: 6 clicks', async ({ launcher }) => {
      const { window, clipboard } = await start(launcher)
      const effort = await countEffort(window)

      await window.getByRole('button', { name: 'Try the sandbox' }).click()
      const answer = window.getByRole('article', { name: 'Answer' })
      await expect(answer).toHaveAttribute('aria-busy', 'false')
      await expect(answer.locator('[data-usd]')).toBeVisible()

      await window.getByRole('button', { name: 'Create key' }).click()
      await window.getByRole('combobox', { name: 'Tool' }).click()
      await window.getByRole('option', { name: 'Node' }).click()
      await window.getByRole('button', { name: 'Copy hello.mjs' }).click()
      await expect.poll(clipboard).toContain('baseURL')
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', await clipboard()], {
        cwd: root,
      })
      expect(stdout.trim()).not.toBe('')

      const received = window.getByText(/Request received with “My first tool”/)
      await expect(received).toBeVisible()
      await window.getByRole('link', { name: 'View request' }).click()
      const detail = window.getByRole('dialog', { name: 'Request' })
      await expect(detail.locator('[data-usd]').first()).toBeVisible()
      const { clicks, ...others } = await effort()
      expect(clicks).toBeLessThanOrEqual(6)
      expect(others).toEqual({ keys: 0, loads: 0 })
    })

    test('a base URL without /v1 is corrected with 1 click, and its provider serves after 7', async ({
      launcher,
    }) => {
      const upstream = await startUpstream()
      try {
        const { window, baseUrl } = await start(launcher)
        const secret = await createKey(window, 'Laptop editor')
        const effort = await countEffort(window)
        await sidebarLink(window, 'Providers').click()
        await window.getByRole('button', { name: 'Add provider', exact: true }).click()
        const dialog = window.getByRole('dialog')
        await dialog.getByRole('button', { name: 'Custom server' }).click()
        await dialog.getByLabel('Name').fill('Office server')
        await dialog.getByLabel('Base URL').fill(upstream.baseUrl.replace(/\/v1$/, ''))
        await dialog.getByLabel('API key').fill(CREDENTIAL)
        await dialog.getByRole('button', { name: 'Test and save' }).click()
        await dialog.getByRole('button', { name: `Use ${upstream.baseUrl}` }).click()
        await expect(dialog.getByRole('status')).toContainText('Connected in')
        await dialog.getByRole('button', { name: 'Done' }).click()
        expect((await effort()).clicks).toBeLessThanOrEqual(7)

        const answer = await client(baseUrl, secret).chat.completions.create(ask(MODEL))
        expect(answer.choices[0]?.message.content).toBe(ANSWER)
        // The sandbox is still there.
        await client(baseUrl, secret).chat.completions.create(ask('sandbox-small'))
      } finally {
        await upstream.stop()
      }
    })

    test('a cap that stops a tool is raised from its failed request with 3 clicks', async ({ launcher }) => {
      const { window, baseUrl } = await start(launcher)
      const secret = await createKey(window, 'Careful', { capUsd: '0.000001' })
      const openai = client(baseUrl, secret)
      await openai.chat.completions.create(ask('sandbox-small'))
      await open(window, 'Requests')
      await expect(openai.chat.completions.create(ask('sandbox-small'))).rejects.toMatchObject({
        code: 'spend_limit_reached',
      })
      const refused = window.getByRole('row').filter({ hasText: 'Refused' })
      await expect(refused).toBeVisible()

      const effort = await countEffort(window)
      await refused.click()
      await window.getByRole('dialog', { name: 'Request' }).getByRole('button', { name: 'Raise cap' }).click()
      const panel = window.getByRole('dialog', { name: 'Cap of Careful' })
      await panel.getByRole('button', { name: 'Raise by $5' }).click()
      await panel.getByRole('button', { name: 'Save' }).click()
      await expect(panel).toBeHidden()
      expect((await effort()).clicks).toBeLessThanOrEqual(4)
      await openai.chat.completions.create(ask('sandbox-small'))
    })

    test('who spent what on which model last week: 3 clicks', async ({ launcher }) => {
      const dataDir = launcher.newDataDir()
      seed(dataDir, { requests: 2_000, days: 30, now: Date.now() })
      const { window } = await start(launcher, { dataDir, adminKey: await resetAdminKey(dataDir) })
      const effort = await countEffort(window)
      await sidebarLink(window, 'Usage').click()
      await expect(window.getByRole('button', { name: 'Date range: Last 7 days' })).toBeVisible()
      const table = window.getByRole('treegrid', { name: 'Usage' })
      const model = table.getByRole('row', { level: 1 }).first()
      const name = (await model.getAttribute('aria-label')) ?? ''
      await model.getByRole('button', { name: `Show the parts of ${name}` }).click()
      // One row for each key that used the model, with what it spent.
      const parts = table.getByRole('row', { level: 2 })
      await expect(parts.first()).toHaveAttribute('aria-label', new RegExp(`^${name}, `))
      await expect(parts.first().locator('[data-usd]').first()).toBeVisible()
      expect((await effort()).clicks).toBeLessThanOrEqual(3)
    })
  })
}
