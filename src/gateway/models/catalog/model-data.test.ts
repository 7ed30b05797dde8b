import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { waitForUpdate } from '@pydantic/genai-prices'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withConnection } from '../../store/engine/connection.ts'
import { databasePath } from '../../store/engine/files.ts'
import { createDataDir } from '../../testing/data-dir.ts'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import {
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
} from '../../upstream/testing/test-upstream.ts'
import { findCorrectedPrice, findModelData, modelDataFile } from './model-data.ts'
import { PriceDatabase } from './price-database.ts'
import { findVendorPrice } from './price-sources.ts'

test('a model is found with or without its release date', () => {
  const gpt4o = {
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    capabilities: ['vision', 'tools', 'json', 'streaming'],
  }
  expect(findModelData('openai', 'gpt-4o')).toEqual(gpt4o)
  expect(findModelData('openai', 'gpt-4o-2029-01-01')).toEqual(gpt4o)
  expect(findModelData('groq', 'llama-3.1-8b-instant')?.capabilities).not.toContain('vision')
})

test.each([
  ['openai', 'no-such-model'],
  ['no-such-vendor', 'gpt-4o'],
  ['openai', 'constructor'],
  ['__proto__', 'toString'],
])('there is nothing about %s %s', (vendor, id) => {
  expect(findModelData(vendor, id)).toBeNull()
  expect(findCorrectedPrice(vendor, id)).toBeNull()
})

test('a corrected price has the date of its source and the rates of long prompts', () => {
  const price = findCorrectedPrice('openai', 'gpt-6.1-sol-20261015')
  expect(price?.origin).toEqual({
    source: 'override',
    match: 'exact',
    asOf: modelDataFile.sources.models.asOf,
  })
  expect(price?.rates(272_000)).toMatchObject({ input: 2, cacheWrite5m: 2.5, cacheWrite1h: 4 })
  expect(price?.rates(272_001)).toMatchObject({ input: 4, cacheWrite5m: 5, cacheWrite1h: 8 })
})

test.each([
  ['amazon.nova-pro-v1:0', 0.8, 3.2, 'exact'],
  ['us.amazon.nova-pro-v1:0', 0.8, 3.2, 'approximate'],
  ['eu.amazon.nova-pro-v1:0', 0.92, 3.68, 'exact'],
  ['us.amazon.nova-2-lite-v1:0', 0.33, 2.75, 'approximate'],
  ['global.amazon.nova-2-lite-v1:0', 0.3, 2.5, 'exact'],
  ['us.meta.llama4-maverick-17b-instruct-v1:0', 0.24, 0.97, 'approximate'],
  ['mistral.mistral-large-3-675b-instruct', 0.5, 1.5, 'exact'],
  ['deepseek.v3.2', 0.62, 1.85, 'exact'],
  ['us.deepseek.r1-v1:0', 1.35, 5.4, 'approximate'],
  ['openai.gpt-6-sol', 2.2, 11, 'exact'],
  ['global.openai.gpt-6-sol', 2, 10, 'exact'],
  ['eu.openai.gpt-6-sol', 2.2, 11, 'approximate'],
  ['xai.grok-4.6', 2.2, 6.6, 'exact'],
  ['us.anthropic.claude-opus-4-8', 5.5, 27.5, 'approximate'],
  ['anthropic.claude-opus-4-8', 5.5, 27.5, 'exact'],
])('%s on Bedrock costs %d and %d USD per million tokens', (id, input, output, match) => {
  const price = findVendorPrice(new PriceDatabase(), 'aws', id, new Date('2026-11-20T12:00:00Z'))
  expect(price?.rates(0)).toMatchObject({ input, output })
  expect(price?.origin.match).toBe(match)
})

test('a profile of Bedrock has the facts of its model', () => {
  expect(findModelData('aws', 'apac.amazon.nova-pro-v1:0')?.capabilities).toContain('vision')
  expect(findModelData('aws', 'us-gov.meta.llama3-3-70b-instruct-v1:0')).toMatchObject({
    contextWindow: 128_000,
  })
  expect(findModelData('aws', 'xai.grok-4.6')).toMatchObject({ contextWindow: 500_000 })
})

const SHIPPED = modelDataFile.sources.prices

test('the generated model data is of the installed price package', () => {
  const root = join(import.meta.dirname, '../../../../node_modules/@pydantic/genai-prices/package.json')
  expect(JSON.parse(readFileSync(root, 'utf8')).version).toBe(SHIPPED.version)
})

describe('prices', () => {
  let dataDir = ''
  let server: TestUpstream
  let gateway: TestGateway
  beforeEach(async () => {
    dataDir = createDataDir()
    server = await startTestUpstream()
    gateway = await open()
  })
  afterEach(async () => {
    await gateway.close()
    await server.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  let now = Date.parse('2026-11-20T12:00:00Z')
  const open = (admin?: string) =>
    startTestGateway({
      dataDir,
      priceDataUrl: `${server.url}/data.json`,
      clock: { now: () => now },
      ...(admin === undefined ? {} : { admin }),
    })

  /** The package's own data, with another price for one model and without what only the package itself reads. */
  async function published(inputPrice: number, more: object = {}): Promise<object[]> {
    const providers = (await waitForUpdate()) ?? []
    return providers.map((provider) => ({
      ...provider,
      models: provider.models.map((model) =>
        provider.id === 'openai' && model.id === 'gpt-4o'
          ? { ...model, prices: { ...model.prices, input_mtok: inputPrice }, ...more }
          : model,
      ),
    }))
  }

  const priceOfGpt4o = async () => (await gateway.call('GET', '/v1/models/openai/gpt-4o')).json

  test('prices are as old as their package until they are refreshed, and refreshed prices survive a restart', async () => {
    await gateway.addProvider('openai', `${server.url}/v1`, [])
    const before = await gateway.call('GET', '/v1/prices')
    expect(before.json).toEqual({
      source: 'package',
      asOf: SHIPPED.asOf,
      stale: false,
      modelCount: expect.any(Number),
    })
    expect((await priceOfGpt4o()).priceOrigin).toMatchObject({ source: 'database', asOf: SHIPPED.asOf })

    const data = await published(7)
    server.handler = (exchange) => exchange.reply(200, data)
    const after = await gateway.call('POST', '/v1/prices/refresh')
    expect(after.json).toEqual({ ...before.json, source: 'refreshed', asOf: '2026-11-20' })
    expect(await priceOfGpt4o()).toMatchObject({
      pricing: { inputPerMillion: 7 },
      priceOrigin: { source: 'database', asOf: '2026-11-20' },
    })

    const { admin } = gateway
    await gateway.close()
    now = Date.parse('2027-02-01T12:00:00Z')
    gateway = await open(admin)
    expect((await gateway.call('GET', '/v1/prices')).json).toMatchObject({
      source: 'refreshed',
      asOf: '2026-11-20',
      stale: true,
    })
    expect((await priceOfGpt4o()).pricing.inputPerMillion).toBe(7)
  })

  test('the activity history has each refresh, with who did it and how many models got another price', async () => {
    server.handler = async (exchange) => exchange.reply(200, await published(7))
    await gateway.call('POST', '/v1/prices/refresh')
    await gateway.call('POST', '/v1/prices/refresh')
    server.handler = (exchange) => exchange.reply(500, {})
    await gateway.call('POST', '/v1/prices/refresh')
    const { json } = await vi.waitFor(async () => {
      const found = await gateway.call('GET', '/v1/activity?kind=prices-updated')
      expect(found.json.data).toHaveLength(2)
      return found
    })
    const common = { kind: 'prices-updated', actor: { kind: 'key', name: 'Admin' }, subject: null }
    expect(json.data).toMatchObject([
      { ...common, models: 0 },
      { ...common, models: 1 },
    ])
  })

  const UNUSABLE: [string, TestHandler][] = [
    ['an error', (exchange) => exchange.reply(500, {})],
    ['a redirect', (exchange) => exchange.reply(302, '', { location: 'http://127.0.0.1:9/' })],
    ['a page', (exchange) => exchange.reply(200, '<html>')],
    ['nothing at all', (exchange) => exchange.reset()],
    ['an empty list', (exchange) => exchange.reply(200, [])],
    ['half of it', async (exchange) => exchange.reply(200, (await published(1)).slice(0, 5))],
    ['an absurd price', async (exchange) => exchange.reply(200, await published(1e12))],
    ['a negative price', async (exchange) => exchange.reply(200, await published(-1))],
    [
      'a slow pattern',
      async (exchange) => exchange.reply(200, await published(7, { match: { regex: '^(a+)+$' } })),
    ],
    [
      'a long pattern',
      async (exchange) => exchange.reply(200, await published(7, { match: { regex: 'a?a?a?a?b' } })),
    ],
  ]

  test('what cannot be used is a 502, and the prices in use stay', async () => {
    const before = (await gateway.call('GET', '/v1/prices')).json
    const problem = { type: 'upstream_error', code: 'prices_unavailable' }
    for (const [what, answer] of UNUSABLE) {
      server.handler = answer
      const { status, json } = await gateway.call('POST', '/v1/prices/refresh')
      expect([what, status, json.error]).toMatchObject([what, 502, problem])
      expect((await gateway.call('GET', '/v1/prices')).json).toEqual(before)
    }
  })

  test('a model that is suddenly free keeps the price that it came with', async () => {
    await gateway.addProvider('openai', `${server.url}/v1`, [])
    const { pricing } = await priceOfGpt4o()
    for (const data of [await published(0), await published(7, { prices: {} })]) {
      server.handler = (exchange) => exchange.reply(200, data)
      expect((await gateway.call('POST', '/v1/prices/refresh')).status).toBe(200)
      expect((await priceOfGpt4o()).pricing).toEqual(pricing)
    }
  })

  test('a failed connection is not said to be one to a provider', async () => {
    server.handler = (exchange) => exchange.reset()
    const { json } = await gateway.call('POST', '/v1/prices/refresh')
    expect(json.error.message).toContain('127.0.0.1')
    expect(json.error.message).not.toContain('provider')
  })

  test('prices that cannot be stored are not used', async () => {
    await gateway.addProvider('openai', `${server.url}/v1`, [])
    const before = await priceOfGpt4o()
    const data = await published(77)
    server.handler = (exchange) => exchange.reply(200, data)
    withConnection(databasePath(dataDir), (db) => {
      db.exec(`CREATE TRIGGER no_prices BEFORE INSERT ON settings WHEN new.name = 'prices'
      BEGIN SELECT RAISE(ABORT, 'out of order'); END`)
    })
    expect((await gateway.call('POST', '/v1/prices/refresh')).status).toBeGreaterThanOrEqual(500)
    expect((await priceOfGpt4o()).pricing).toEqual(before.pricing)
  })

  test('prices that one gateway refreshed are not those of another one in the same process', async () => {
    const other = await startTestGateway({ priceDataUrl: `${server.url}/data.json` })
    const data = await published(7)
    server.handler = (exchange) => exchange.reply(200, data)
    expect((await gateway.call('POST', '/v1/prices/refresh')).status).toBe(200)
    expect((await other.call('GET', '/v1/prices')).json.source).toBe('package')
    await other.addProvider('openai', `${server.url}/v1`, [])
    expect((await other.call('GET', '/v1/models/openai/gpt-4o')).json.priceOrigin.asOf).toBe(SHIPPED.asOf)
    await other.close()
  })
})
