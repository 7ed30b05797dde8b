// Takes pictures of every view of the real window, after some traffic of its own, into an ignored folder: to be looked at,
// and for the documentation to choose from. `npm run screenshots`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import OpenAI from 'openai'
import { test } from './app.ts'
import { createKey, open, views } from './views.ts'

const folder = resolve(import.meta.dirname, '../.cache/screenshots')

const sizes = [
  [900, 600],
  [1280, 800],
] as const

const questions = [
  'Summarise the release notes in two sentences.',
  'Write a haiku about a barrier that lifts.',
  'Which of these stack traces is the root cause?',
  'Translate “mind the gap” into Italian.',
]

test('every view, light and dark', async ({ started }) => {
  const { window, state, electron } = await started.launch()
  const { baseUrl } = await state()
  for (const [name, capUsd] of [
    ['Editor', '5'],
    ['Nightly evals', '0.002'],
    ['CLI agent', '20'],
  ] as const) {
    const secret = await createKey(window, name, { capUsd })
    const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
    for (const [index, content] of questions.entries()) {
      const model = index % 2 === 0 ? 'sandbox-small' : 'sandbox-large'
      await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] }).catch(() => {})
    }
  }
  await open(window, 'Playground')
  await window.getByLabel('Message').fill('What does a toll gate do?')
  await window.getByRole('button', { name: 'Send' }).click()
  await window.locator('article[aria-busy=false]').waitFor()

  mkdirSync(folder, { recursive: true })
  for (const scheme of ['light', 'dark'] as const) {
    await electron.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source
    }, scheme)
    await window.emulateMedia({ colorScheme: scheme })
    for (const [width, height] of sizes) {
      await electron.evaluate(
        ({ BrowserWindow }, size) =>
          BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
        { width, height },
      )
      for (const view of views) {
        await open(window, view)
        await window.mouse.move(0, 0)
        writeFileSync(join(folder, `${view.toLowerCase()}-${scheme}-${width}.png`), await settled(window))
      }
    }
  }
})

/** A picture of the window once two in a row are the same. */
async function settled(window: Page): Promise<Buffer> {
  let last = await window.screenshot({ animations: 'disabled' })
  for (;;) {
    const next = await window.screenshot({ animations: 'disabled' })
    if (next.equals(last)) return next
    last = next
  }
}
