import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { z } from 'zod'
import type { App } from '../app.ts'
import { open, requestRows } from '../views.ts'
import { overlay, press, type Shot } from './shots.ts'
import type { Capture } from './take-screenshot.ts'

/** Each request's row, counted from the newest, with what its picture is called. */
const details = [
  'responses',
  'speech-failed',
  'embeddings',
  'messages',
  'messages-sandbox',
  'gemini',
  'completions',
  'chat-anthropic',
  'chat',
  'transcription',
] as const

const scrollTo = (heading: string) => (window: Page) =>
  window.getByRole('heading', { name: heading }).evaluate((element) => element.scrollIntoView())

const addForm = (name: string) => async (window: Page) => {
  await press('Add provider')(window)
  await window.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  await window.getByRole('dialog').getByRole('button', { name: 'Test and save' }).waitFor()
}

const setUpCodex = async (window: Page) => {
  await window.getByRole('tab', { name: 'Codex' }).click()
  await window.getByRole('button', { name: /^Set up/ }).click()
  await window.getByRole('dialog').getByRole('figure').first().waitFor()
}

const pick = (nth: number) => (window: Page) =>
  window.getByRole('combobox', { name: 'Model' }).nth(nth).click()

/** Shots of the API formats, tools and containers in the views. */
export const formatShots: readonly Shot[] = [
  overlay('Requests', 'formats', async () => undefined),
  ...details.map((what, index) =>
    overlay('Requests', `detail-${what}`, async (window) => {
      await requestRows(window).nth(index).click()
      await window.getByRole('dialog', { name: 'Request' }).getByText('Details').waitFor()
    }),
  ),
  overlay('Models', 'formats', async () => undefined),
  overlay('Models', 'edit-transcription', press('Edit whisper-1')),
  overlay('Providers', 'add-azure', addForm('Azure OpenAI')),
  overlay('Providers', 'add-bedrock', addForm('Amazon Bedrock')),
  overlay('Providers', 'add-vertex', addForm('Google Vertex AI (Gemini)')),
  overlay('Providers', 'add-custom', async (window) => {
    await addForm('Custom server')(window)
    await window.getByRole('dialog').getByRole('combobox', { name: 'API format' }).click()
  }),
  overlay('Playground', 'picker', pick(0)),
  overlay('Estimator', 'plans', (window) => window.getByText('Plans and break-even').click()),
  overlay('Connect', 'search', (window) => window.getByRole('searchbox', { name: 'Find a tool' }).fill('co')),
  overlay('Connect', 'search-empty', (window) =>
    window.getByRole('searchbox', { name: 'Find a tool' }).fill('emacs'),
  ),
  overlay('Connect', 'set-up-again', setUpCodex),
  overlay('Connect', 'container', scrollTo('From a container')),
  overlay('Settings', 'containers', scrollTo('Gateway')),
  overlay('Connect', 'undo', async (window) => {
    await window.getByRole('tab', { name: 'Codex' }).click()
    await press('Undo setup')(window)
  }),
]

/** Shots of the views once containers reach the gateway. */
export const containerShots: readonly Shot[] = [
  overlay('Connect', 'container-on', scrollTo('From a container')),
  overlay('Settings', 'containers-on', scrollTo('Gateway')),
]

/** Has Codex set up in a file that has settings, and takes pictures of the dialog before and after writing. */
export async function setUpTool({ window, home }: App, capture: Capture): Promise<void> {
  const before = '# My settings\nmodel = "o3"   # the default\n\n[tui]\ntheme = "dark"\n'
  mkdirSync(join(home, '.codex'), { recursive: true })
  writeFileSync(join(home, '.codex/config.toml'), before)
  await open(window, 'Connect')
  await setUpCodex(window)
  await capture.save('connect-set-up')
  const dialog = window.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Write 2 files' }).click()
  await dialog.getByRole('button', { name: 'Done' }).waitFor()
  await capture.save('connect-set-up-done')
  await dialog.getByRole('button', { name: 'Done' }).click()
}

/** Has the window show containers as able to reach the gateway, which on Linux needs Docker. */
export async function reportContainerAccess({ window, get }: App): Promise<void> {
  const info = await get('/v1/gateway', z.object({}).loose())
  const containers = { enabled: true, baseUrl: 'http://host.docker.internal:8655', problem: null }
  await window.route('**/v1/gateway', (route) => route.fulfill({ json: { ...info, containers } }))
  await window.reload()
}
