// Hosted tools, searches, tiers and fast modes: what has no known price does not run under a cap, and is never exact without one.
// The bills are computed here from the vendors' published prices.

import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../upstream/testing/vendor-formats.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())
await gateway.addProvider('anthropic', upstream.url, [], { apiFormat: 'anthropic-messages' })
await gateway.addProvider('gemini', upstream.url, [], { apiFormat: 'gemini-generate' })

const GEMINI = '/v1beta/models/gemini%2Fgemini-2.5-flash:generateContent'
const FORMATS = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic-messages',
  [GEMINI]: 'gemini-generate',
} as const
type Path = keyof typeof FORMATS

function getAnswer(path: Path) {
  const format = vendorFormats[FORMATS[path]]
  return format.plain({ texts: ['Hi'], usage: format.usage({ ...NO_TOKENS, input: 20, text: 100 }) })
}

const messages = [{ role: 'user', content: 'Hi' }]
const BODIES: Record<Path, object> = {
  '/v1/chat/completions': { messages, max_tokens: 100 },
  '/v1/responses': { input: 'Hi', max_output_tokens: 100 },
  '/v1/messages': { messages, max_tokens: 100 },
  [GEMINI]: {
    contents: [{ parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 100 },
  },
}

async function send(path: Path, body: object, limits: object, answer: object = {}) {
  upstream.handler = (exchange) => exchange.reply(200, { ...getAnswer(path), ...answer })
  const apiFormat = path === '/v1/responses' ? 'openai-responses' : 'openai-chat'
  await gateway.addProvider('openai', upstream.url, [], { apiFormat })
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', ...limits })
  const before = upstream.requests.length
  const { status, json } = await gateway.call('POST', path, {
    as: secret,
    body: { ...BODIES[path], ...body },
  })
  const [record] = await gateway.records()
  return { status, error: json.error ?? json, record, calls: upstream.requests.length - before }
}

describe.each<[Path, object, string]>([
  ['/v1/chat/completions', { model: 'openai/gpt-5', service_tier: 'scale' }, 'service_tier'],
  ['/v1/chat/completions', { model: 'openai/gpt-5', service_tier: 'of-tomorrow' }, 'service_tier'],
  [
    '/v1/responses',
    { model: 'openai/gpt-5', tools: [{ type: 'web_search' }, { type: 'image_generation' }] },
    'tools[1]',
  ],
  [
    '/v1/responses',
    { model: 'openai/gpt-5', tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    'tools[0]',
  ],
  ['/v1/messages', { model: 'anthropic/claude-opus-5-5', speed: 'fast' }, 'speed'],
  [
    '/v1/messages',
    {
      model: 'anthropic/claude-opus-5',
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
    },
    'tools[0]',
  ],
  [GEMINI, { tools: [{ googleMaps: {} }] }, 'tools[0]'],
])('%s with %j', (path, body, param) => {
  it('is refused under a cap before a provider is called', async () => {
    const { status, record, calls } = await send(path, body, { spendLimitUsd: 10 })
    expect([status, calls]).toEqual([400, 0])
    expect(record?.error).toMatchObject({ code: 'model_unpriced', param })
  })

  it('is served without a cap, and its cost is not exact', async () => {
    const { status, record } = await send(path, body, {})
    expect([status, record?.costStatus]).toEqual([200, 'estimated'])
  })
})

describe('what has a price is charged', () => {
  const cap = { spendLimitUsd: 10 }

  it('one search with each answer of a search model of OpenAI', async () => {
    const body = { model: 'openai/gpt-4o-mini-search-preview', web_search_options: {} }
    const { record } = await send('/v1/chat/completions', body, cap)
    expect(record).toMatchObject({ costStatus: 'exact', costUsd: 0.025063 })
  })

  it.each([
    ['gpt-4o', 1.7, 2.5, 10],
    ['gpt-4o-mini', 5 / 3, 0.15, 0.6],
    ['gpt-4.1-nano', 2, 0.1, 0.4],
    ['o3', 1.75, 2, 8],
  ])('the priority tier of %s', async (model, factor, input, output) => {
    const body = { model: `openai/${model}`, service_tier: 'priority', max_tokens: 100 }
    const { record } = await send('/v1/chat/completions', body, cap, { service_tier: 'priority' })
    expect(record?.costStatus).toBe('exact')
    expect(record?.costUsd).toBeCloseTo((factor * (20 * input + 100 * output)) / 1e6, 9)
  })

  it('fast mode, and inference in the USA', async () => {
    const usage = { input_tokens: 20, output_tokens: 100 }
    const fast = await send('/v1/messages', { model: 'anthropic/claude-opus-5', speed: 'fast' }, cap, {
      usage: { ...usage, speed: 'fast' },
    })
    expect(fast.record).toMatchObject({ costStatus: 'exact', costUsd: (2 * (20 * 5 + 100 * 25)) / 1e6 })
    const us = await send('/v1/messages', { model: 'anthropic/claude-opus-5', inference_geo: 'us' }, cap, {
      usage: { ...usage, inference_geo: 'us' },
    })
    expect(us.record?.costUsd).toBeCloseTo((1.1 * (20 * 5 + 100 * 25)) / 1e6, 9)
  })

  it('searches of files, which are also reserved', async () => {
    const calls = { output: [{ type: 'file_search_call' }, ...[getAnswer('/v1/responses').output].flat()] }
    const body = { model: 'openai/gpt-5', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }
    const { record } = await send('/v1/responses', body, cap, calls)
    expect(record).toMatchObject({ costStatus: 'exact', costUsd: 0.003525 })
  })

  it('at the user’s price of searches', async () => {
    const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
    const body = { model: 'own', tools: [{ type: 'web_search' }] }
    const put = (price: object) =>
      gateway.call('PUT', '/v1/models/own', { body: { provider: 'openai', pricing: price } })
    await put(pricing)
    const refused = await send('/v1/responses', body, cap)
    expect([refused.status, refused.error.message]).toEqual([
      400,
      expect.stringContaining('set "perThousandWebSearches" in the price of the model'),
    ])
    await put({ ...pricing, perThousandWebSearches: 5 })
    const output = [{ type: 'web_search_call', action: { type: 'search' } }]
    const { record } = await send('/v1/responses', body, cap, { output })
    expect(record).toMatchObject({ costStatus: 'exact', costUsd: 0.005 + (20 * 1 + 100 * 2) / 1e6 })
  })
})

it('a model with a price for what is asked serves in place of one without', async () => {
  await gateway.call('PUT', '/v1/models/first', {
    body: {
      provider: 'openai',
      pricing: { inputPerMillion: 1, outputPerMillion: 1 },
      fallbacks: ['openai/gpt-5'],
    },
  })
  const { record } = await send(
    '/v1/chat/completions',
    { model: 'first', service_tier: 'flex' },
    { spendLimitUsd: 1 },
  )
  expect(record).toMatchObject({ status: 'succeeded', model: 'gpt-5' })
})

it('a strict key refuses searches without a limit', async () => {
  const body = { model: 'openai/gpt-5', tools: [{ type: 'web_search' }] }
  const strict = { spendLimitUsd: 10, strict: true }
  const { status, error } = await send('/v1/responses', body, strict)
  expect([status, error.param]).toEqual([400, 'tools[0]'])
  expect(error.message).toContain('Set "max_tool_calls"')
  expect((await send('/v1/responses', { ...body, max_tool_calls: 5 }, strict)).status).toBe(200)
})
