// The main path of a user: a provider and a key from the window, which the `openai` package uses.
import keytar from '@github/keytar'
import { expect } from '@playwright/test'
import OpenAI from 'openai'
import { z } from 'zod'
import { findInFiles } from '../src/gateway/testing/find-in-files.ts'
import { KEYCHAIN_SERVICE } from '../src/host/keychain.ts'
import { type App, credentials, test } from './app.ts'
import { ANSWER, CREDENTIAL, MODEL, startUpstream } from './upstream.ts'
import { addProvider, costIn, createKey, keyRow, open, requestRows } from './views.ts'

test('a provider added in the window serves with its credential from the keychain, also after a relaunch', async ({
  launcher,
}) => {
  const upstream = await startUpstream()
  try {
    const first = await launcher.launch()
    const storedBefore = await listCredentials()
    await addProvider(first.window, { name: 'Upstream', baseUrl: upstream.baseUrl, credential: CREDENTIAL })
    if (credentials === 'keychain') {
      const stored = await listCredentials()
      for (const account of storedBefore.keys()) stored.delete(account)
      expect([...stored.values()]).toEqual([CREDENTIAL])
    }
    // A custom server has no price until the user sets one.
    const pricing = { inputPerMillion: 2.5, outputPerMillion: 10 }
    await first.send('PUT', `/v1/models/${MODEL}`, { pricing }, z.unknown())
    const secret = await createKey(first.window, 'Upstream user')
    await open(first.window, 'Requests')
    const ask = async ({ state }: App) => {
      const openai = new OpenAI({ baseURL: `${(await state()).baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
      const messages = [{ role: 'user' as const, content: 'Open up, please.' }]
      const { data, response } = await openai.chat.completions
        .create({ model: MODEL, messages })
        .withResponse()
      expect(data.choices[0]?.message.content).toBe(ANSWER)
      return Number(response.headers.get('x-service-cost-usd'))
    }
    expect(await ask(first)).toBe(0.0075)
    const row = requestRows(first.window).first()
    await expect(row).toContainText(MODEL)
    expect(await costIn(row)).toBe(0.0075)
    await first.quit()
    expect(findInFiles(first.dataDir, CREDENTIAL, secret)).toEqual([])

    if (credentials !== 'keychain') return
    const second = await launcher.launch({ dataDir: first.dataDir })
    await open(second.window, 'Keys')
    await expect(keyRow(second.window, 'Upstream user')).toBeVisible()
    await ask(second)
  } finally {
    await upstream.stop()
  }
})

/** The passwords in the keychain by account; those of other tests too. */
async function listCredentials(): Promise<Map<string, string>> {
  if (credentials !== 'keychain') return new Map()
  const found = await keytar.findCredentials(KEYCHAIN_SERVICE)
  return new Map(found.map(({ account, password }) => [account, password]))
}
