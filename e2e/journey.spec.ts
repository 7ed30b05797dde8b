// How many clicks a new user of the desktop app needs for the first answer. `long/first-user.spec.ts` has the rest.
import { existsSync } from 'node:fs'
import { expect } from '@playwright/test'
import { KeyList } from '../src/shared/api/keys.ts'
import { ProviderList } from '../src/shared/api/providers.ts'
import { RequestList } from '../src/shared/api/request-queries.ts'
import { type App, type Launcher, test } from './app.ts'
import { countEffort } from './effort.ts'
import { costIn } from './views.ts'

/** Starts the app on a data dir that does not exist yet, and checks that it has no keys, requests or window state. */
async function launchFreshInstall(launcher: Launcher): Promise<App> {
  const dataDir = launcher.newDataDir()
  expect(existsSync(dataDir)).toBe(false)
  const app = await launcher.launch({ dataDir })
  expect(await app.get('/v1/keys', KeyList)).toEqual({ data: [] })
  expect((await app.get('/v1/requests', RequestList)).data).toEqual([])
  const configured = (await app.get('/v1/providers', ProviderList)).data.filter((one) => one.configured)
  expect(configured.map(({ id }) => id)).toEqual(['sandbox'])
  expect(await app.window.evaluate(() => ({ ...localStorage }))).toEqual({})
  return app
}

test('a fresh install answers in the playground after at most 3 clicks, billed to the playground’s key', async ({
  launcher,
}) => {
  const { window, get } = await launchFreshInstall(launcher)
  const effort = await countEffort(window)
  await window.getByRole('navigation').getByRole('link', { name: 'Playground', exact: true }).click()
  await window.getByRole('button', { name: /^Explain what an LLM gateway does/ }).click()
  const answer = window.getByRole('article', { name: 'Answer' })
  await expect(answer).toHaveAttribute('aria-busy', 'false')
  await expect(answer.locator('[data-usd]')).toBeVisible()
  const { clicks, ...others } = await effort()
  expect(clicks).toBeLessThanOrEqual(3)
  expect(others).toEqual({ keys: 0, loads: 0 })
  const { data } = await get('/v1/keys', KeyList)
  expect(data.find(({ name }) => name === 'Playground')?.spendUsd).toBe(await costIn(answer))
})
