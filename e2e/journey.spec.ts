// Counts how far a new user is from the first answer and from the first working call. The numbers are a promise.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { test } from './app.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

/** Counts the clicks that the window gets from now on; views change without loading a page. */
async function countClicks(window: Page): Promise<() => Promise<number>> {
  await window.evaluate(() => {
    Reflect.set(globalThis, 'clicks', 0)
    const count = (event: Event) => {
      if (event.isTrusted) Reflect.set(globalThis, 'clicks', Reflect.get(globalThis, 'clicks') + 1)
    }
    // A select opens and chooses on the pointer going down or up; each press of the button counts once.
    addEventListener('pointerdown', count, { capture: true })
  })
  return async () => Number(await window.evaluate(() => Reflect.get(globalThis, 'clicks')))
}

test('a fresh install answers in the playground after at most 3 clicks', async ({ started }) => {
  const { window } = await started.launch()
  const clicks = await countClicks(window)
  await window.getByRole('navigation').getByRole('link', { name: 'Playground', exact: true }).click()
  await window.getByRole('button', { name: /^Explain what an LLM gateway does/ }).click()
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await expect(answer.locator('[data-usd]')).toBeVisible()
  expect(await clicks()).toBeLessThanOrEqual(3)
})

test('the first view answers in place, after one click', async ({ started }) => {
  const { window } = await started.launch()
  const clicks = await countClicks(window)
  await window.getByRole('button', { name: 'Try the sandbox' }).click()
  await expect(window.getByRole('article', { name: 'Answer' })).toHaveAttribute('aria-busy', 'false')
  expect(await clicks()).toBe(1)
})

test('a fresh install serves an SDK after at most 5 clicks', async ({ started }) => {
  const { window, electron } = await started.launch()
  const clicks = await countClicks(window)
  await window.getByRole('button', { name: 'Create key' }).click()
  await window.getByRole('combobox', { name: 'Tool' }).click()
  await window.getByRole('option', { name: 'Node' }).click()
  await window.getByRole('button', { name: 'Copy hello.mjs' }).click()
  expect(await clicks()).toBeLessThanOrEqual(5)

  const code = await electron.evaluate(({ clipboard }) => clipboard.readText())
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
  expect(stdout.trim()).not.toBe('')
  await expect(window.getByText(/Request received with “My first tool”/)).toBeVisible()
})
