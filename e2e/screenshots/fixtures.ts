import { expect } from '@playwright/test'
import { z } from 'zod'
import type { SpendLimit } from '../../src/shared/api/spend-limits.ts'
import { seedModels } from '../../src/tooling/seed/models.ts'
import type { App } from '../app.ts'
import { mouseDriver } from '../input-drivers/mouse.ts'
import { startListingServer } from './listing-server.ts'

const anything = z.unknown()
const Providers = z.object({ data: z.array(z.object({ id: z.string(), baseUrl: z.string().nullable() })) })

const Keys = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) })

/** Limits of seeded keys, by name. */
const LIMITS = new Map<string, readonly SpendLimit[]>([
  ['Coding agents', [{ usd: 3, per: 'session' }]],
  ['Docs search', [{ usd: 5, per: 'month' }]],
])

/** The models of the seeded requests, by provider. */
function listSeededModels(): Map<string, string[]> {
  const groups = Map.groupBy(seedModels(Date.now()), ({ offer }) => offer.providerId)
  return new Map([...groups].map(([provider, models]) => [provider, models.map(({ offer }) => offer.id)]))
}

async function addProviders(app: App, lists: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const server = await startListingServer(Object.fromEntries(lists))
  try {
    const { data: known } = await app.get('/v1/providers', Providers)
    for (const id of lists.keys()) {
      const path = `/v1/providers/${id}`
      const official = known.find((provider) => provider.id === id)?.baseUrl
      const custom = official ? {} : { apiFormat: 'openai-chat', name: id }
      const credential = 'sk-test-0000000000'
      await app.send('PUT', path, { ...custom, credential, baseUrl: server.baseUrlFor(id) }, anything)
      await app.send('POST', `${path}/models`, {}, anything)
      await app.send('PUT', path, { baseUrl: official ?? 'http://192.168.1.20:8000/v1' }, anything)
    }
  } finally {
    server.close()
  }
}

/** Adds what a user has after some weeks besides the seeded log: a few providers, an alias, a monthly limit, two chats. */
export async function addTypicalData(app: App): Promise<void> {
  await addProviders(app, listSeededModels())
  const project = { usd: 8, per: 'month', tag: 'Website' }
  await app.send('PATCH', '/v1/account', { monthlyLimitUsd: 400, spendLimits: [project] }, anything)
  const { data: keys } = await app.get('/v1/keys', Keys)
  for (const { id, name } of keys) {
    const spendLimits = LIMITS.get(name)
    if (spendLimits) await app.send('PATCH', `/v1/keys/${id}`, { spendLimits }, anything)
  }
  await app.send(
    'PUT',
    '/v1/models/fast',
    {
      provider: 'openai',
      upstreamModel: 'gpt-5.4-mini',
      pricing: { inputPerMillion: 0.5, outputPerMillion: 2 },
      fallbacks: ['claude-haiku-5-5', 'gemini-3.5-flash'],
    },
    anything,
  )
  await chat(app, ['sandbox-small'], 'Write a TypeScript function that groups an array by a key.')
  await chat(
    app,
    ['sandbox-small', 'sandbox-large'],
    'List three ways to cap what a program spends, as a table.',
  )
}

/** 320 model ids in the style of an aggregator. */
function marketplaceModels(): string[] {
  const makers = ['qwen/qwen3', 'meta-llama/llama-4', 'google/gemma-3', 'nvidia/nemotron', 'microsoft/phi-5']
  const sizes = ['1b', '4b', '8b', '12b', '27b', '70b', '120b', '405b']
  const kinds = [
    '',
    '-instruct',
    '-thinking',
    '-vision',
    '-coder',
    '-instruct-2507',
    '-base',
    '-instruct:free',
  ]
  return makers.flatMap((maker) => sizes.flatMap((size) => kinds.map((kind) => `${maker}-${size}${kind}`)))
}

const LONG = 'Continuous integration of the documentation search, staging environment, nightly run number'

/** Adds an extreme amount of data: hundreds of models, and keys with long names. */
export async function addFullData(app: App): Promise<void> {
  const lists = listSeededModels()
  lists.set('openrouter', [...(lists.get('openrouter') ?? []), ...marketplaceModels()])
  for (const id of [
    'together',
    'lmstudio',
    'llamacpp',
    'a-server-with-quite-a-long-name-in-the-other-building',
  ])
    lists.set(id, [`${id}-own-model`, 'mistral-small-3.2-24b-instruct-2506-gguf-q4-k-m'])
  await addProviders(app, lists)
  for (let number = 1; number <= 24; number += 1) {
    const name = number % 3 === 0 ? `${LONG} ${number}` : `Experiment ${number}`
    const cap = number % 4 === 0 ? {} : { spendLimitUsd: number * 12.5 }
    const limits = number % 5 === 0 ? { rpmLimit: 300, tpmLimit: 200_000 } : {}
    const scope = number % 7 === 0 ? 'read-only' : 'completions-only'
    await app.send('POST', '/v1/keys', { name, scope, ...cap, ...limits }, anything)
  }
  await app.send('PATCH', '/v1/account', { monthlyLimitUsd: 12_500 }, anything)
  await chat(
    app,
    ['sandbox-small', 'sandbox-large', 'sandbox-small'],
    '[[sandbox:tokens 700]] Tell me all of it.',
  )
}

async function chat({ window }: App, models: readonly string[], question: string): Promise<void> {
  // The window has not seen the changes made over the API yet.
  await window.reload()
  const driver = mouseDriver(window)
  await driver.runCommand('New chat')
  for (const [column, model] of models.entries()) {
    if (column > 0) await driver.press(window.getByRole('button', { name: 'Add model' }))
    await driver.searchAndSelect(
      window.getByRole('combobox', { name: column === 0 ? 'Model' : `Model ${column + 1}`, exact: true }),
      model,
    )
  }
  await driver.fill(window.getByLabel('Message', { exact: true }), question)
  await driver.submit(window.getByRole('button', { name: 'Send' }))
  const answers = window.getByRole('article', { name: 'Answer' })
  await expect(answers).toHaveCount(models.length)
  await expect(window.locator('article[aria-busy=true]')).toHaveCount(0)
}
