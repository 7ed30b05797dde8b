// The main path of a user, through the window and with the `openai` package.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import keytar from '@github/keytar'
import { expect } from '@playwright/test'
import OpenAI from 'openai'
import { KEYCHAIN_SERVICE } from '../src/host/keychain.ts'
import { Account } from '../src/shared/api/account.ts'
import { KeyList } from '../src/shared/api/keys.ts'
import { Usage } from '../src/shared/api/usage.ts'
import { credentials, test } from './app.ts'
import { ANSWER, CREDENTIAL, MODEL, startUpstream } from './upstream.ts'
import { addProvider, costIn, createKey, keyRow, open, providerRow, requestRows } from './views.ts'

const hello = { model: 'sandbox-small', messages: [{ role: 'user' as const, content: 'Hello, toll gate.' }] }
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

function client(baseUrl: string | null, secret: string): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
}

function costHeader(response: Response): number {
  return Number(response.headers.get('x-service-cost-usd'))
}

/** The header has six decimals. */
function expectInHeader(usd: number, response: Response): void {
  expect(Math.round(Math.abs(usd - costHeader(response)) * 1e9)).toBeLessThanOrEqual(500)
}

test('a key created in the window works with the openai package: plain, stream and tools', async ({
  launcher,
}) => {
  const { window, state, get } = await launcher.launch()
  const secret = await createKey(window, 'Laptop editor')
  expect(secret).toMatch(/^tg-[\w-]{43}$/)
  const openai = client((await state()).baseUrl, secret)
  await open(window, 'Requests')

  await test.step('plain', async () => {
    const { data, response } = await openai.chat.completions.create(hello).withResponse()
    expect(data.choices[0]?.message.content).toBeTruthy()
    expect(response.headers.get('x-service-model')).toBe('sandbox-small')
    expect(Number(response.headers.get('x-service-tokens-in'))).toBe(data.usage?.prompt_tokens)
    expect(Number(response.headers.get('x-service-tokens-out'))).toBe(data.usage?.completion_tokens)
    await expect(requestRows(window)).toHaveCount(1)
    const row = requestRows(window).first()
    await expect(row).toContainText('Laptop editor')
    await expect(row).toContainText('sandbox-small')
    await expect(row).toContainText('Succeeded')
    expect(await costIn(row)).toBeGreaterThan(0)
    expectInHeader(await costIn(row), response)
  })

  await test.step('stream', async () => {
    const stream = await openai.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
    expect(chunks.length).toBeGreaterThan(3)
    expect(text.length).toBeGreaterThan(0)
    const usage = chunks.at(-1)?.usage
    expect(usage?.completion_tokens).toBeGreaterThan(0)
    await expect(requestRows(window)).toHaveCount(2)
    await expect(requestRows(window).first()).toContainText('Succeeded')
    expect(await costIn(requestRows(window).first())).toBe(Reflect.get(usage ?? {}, 'cost'))
  })

  await test.step('tools', async () => {
    const answer = await openai.chat.completions.create({
      ...hello,
      tools: [weatherTool],
      tool_choice: 'required',
    })
    const [call] = answer.choices[0]?.message.tool_calls ?? []
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call?.type === 'function' && call.function.name).toBe('get_weather')
    await expect(requestRows(window)).toHaveCount(3)
  })

  await test.step('the key has spent the sum, and totals have nothing of the sandbox', async () => {
    const costs = await Promise.all([0, 1, 2].map((index) => costIn(requestRows(window).nth(index))))
    const sum = costs.reduce((total, cost) => total + Math.round(cost * 1e9), 0) / 1e9
    const keys = await get('/v1/keys', KeyList)
    expect(keys.data.find(({ name }) => name === 'Laptop editor')?.spendUsd).toBe(sum)
    const usage = await get('/v1/usage', Usage)
    expect(usage.total).toMatchObject({ requests: 3, costUsd: 0 })
    expect(await get('/v1/account', Account)).toMatchObject({ spendUsd: 0 })
  })
})

test('keys and their spend are there after a relaunch, and no file holds a secret', async ({ launcher }) => {
  const first = await launcher.launch()
  const secret = await createKey(first.window, 'Evergreen')
  await client((await first.state()).baseUrl, secret).chat.completions.create(hello)
  const spent = async ({ get }: typeof first) =>
    (await get('/v1/keys', KeyList)).data.find(({ name }) => name === 'Evergreen')?.spendUsd
  const before = await spent(first)
  await first.quit()
  expect(filesContaining(first.dataDir, secret)).toEqual([])

  const second = await launcher.launch({ dataDir: first.dataDir })
  await open(second.window, 'Keys')
  await expect(keyRow(second.window, 'Evergreen')).toBeVisible()
  expect(await spent(second)).toBe(before)
  expect(before).toBeGreaterThan(0)
  const answer = await client((await second.state()).baseUrl, secret).chat.completions.create(hello)
  expect(answer.choices).toHaveLength(1)
})

test('a provider added in the window serves with its credential from the keychain, also after a relaunch', async ({
  launcher,
}) => {
  const upstream = await startUpstream()
  try {
    const first = await launcher.launch()
    const storedBefore = await listCredentials()
    await addProvider(first.window, { name: 'Upstream', baseUrl: upstream.baseUrl, credential: CREDENTIAL })
    await providerRow(first.window, 'Upstream').getByRole('button', { name: 'Test' }).click()
    await expect(providerRow(first.window, 'Upstream').getByRole('status')).toContainText('Connected in')
    if (credentials === 'keychain') {
      const stored = await listCredentials()
      for (const account of storedBefore.keys()) stored.delete(account)
      expect([...stored.values()]).toEqual([CREDENTIAL])
    }

    // A custom server has no price until the user sets one: USD 2.50 in, USD 10 out per million tokens.
    await first.window.evaluate(async (model) => {
      const body = JSON.stringify({ pricing: { inputPerMillion: 2.5, outputPerMillion: 10 } })
      await fetch(`/v1/models/${model}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      })
    }, MODEL)
    const secret = await createKey(first.window, 'Upstream user')
    const openai = client((await first.state()).baseUrl, secret)
    await open(first.window, 'Requests')
    const ask = { model: MODEL, messages: [{ role: 'user' as const, content: 'Open up, please.' }] }
    const { data, response } = await openai.chat.completions.create(ask).withResponse()
    expect(data.choices[0]?.message.content).toBe(ANSWER)
    expect(response.headers.get('x-service-tokens-in')).toBe('1000')
    expect(response.headers.get('x-service-tokens-out')).toBe('500')
    expect(costHeader(response)).toBe(0.0075)
    await expect(requestRows(first.window).first()).toContainText(MODEL)
    expectInHeader(await costIn(requestRows(first.window).first()), response)

    const stream = await openai.chat.completions.create({ ...ask, stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(ANSWER)
    await expect(requestRows(first.window)).toHaveCount(2)
    expectInHeader(await costIn(requestRows(first.window).first()), response)

    const called = await openai.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'How is the weather?' }],
      tools: [weatherTool],
    })
    expect(called.choices[0]?.message.tool_calls).toHaveLength(1)
    await first.quit()
    expect(filesContaining(first.dataDir, CREDENTIAL)).toEqual([])

    if (credentials !== 'keychain') return
    const second = await launcher.launch({ dataDir: first.dataDir })
    const again = client((await second.state()).baseUrl, secret)
    expect((await again.chat.completions.create(ask)).choices[0]?.message.content).toBe(ANSWER)
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

/** The files below `dir` whose bytes contain `secret`. */
function filesContaining(dir: string, secret: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(secret))
}
