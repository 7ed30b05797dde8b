// Requests whose provider may read, write or do more than they say, under strict keys. Each case is sent again and again: the
// vendor's bill never exceeds the cap, and the gateway books all of it.
import { describe, expect, test } from 'vitest'
import { answers, Bill, computeOutputUsd, PRICING } from './testing/billing-vendor.ts'
import { type ModelHandler, startForFile } from './testing/upstream.ts'

const { tollgate, upstream } = await startForFile({ rateLimits: false })
await tollgate.addProvider('claude', upstream.url, [], { apiFormat: 'anthropic-messages' })
await tollgate.addProvider('responses', upstream.url, [], { apiFormat: 'openai-responses' })

const createKey = (spendLimitUsd: number, more: object = {}) =>
  tollgate.createKey({ name: 'capped', scope: 'full', guard: 'off', spendLimitUsd, strict: true, ...more })

const CHEAP = { inputPerMillion: 1, outputPerMillion: 1 }
const hi = [{ role: 'user', content: 'Hi' }]
const imageUrl = 'https://images.example/1.png'
const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

interface Case {
  name: string
  path?: string
  body: object
  /** The tokens that the vendor reads for each request. */
  input: number
  capUsd: number
  /** How many requests are served at least. */
  served?: number
}

const ROUNDS = 8

describe('Input that a provider adds to what is sent', () => {
  test.each<Case>([
    {
      name: 'files of a chat',
      body: { messages: hi, files: [{ type: 'collection', id: 'c1' }] },
      ...{ input: 150_000, capUsd: 0.1 },
    },
    {
      name: 'files of a chat, with a cap that covers a window',
      body: { messages: hi, files: [{ type: 'collection', id: 'c1' }] },
      ...{ input: 150_000, capUsd: 1, served: 1 },
    },
    { name: 'document_ids', body: { messages: hi, document_ids: ['d1'] }, input: 150_000, capUsd: 0.1 },
    { name: 'agent_id', body: { messages: hi, agent_id: 'a1' }, input: 150_000, capUsd: 0.1 },
    {
      name: 'an unknown member',
      body: { messages: hi, knowledge_base_of_tomorrow: 'k1' },
      ...{ input: 150_000, capUsd: 0.1 },
    },
    {
      name: 'embeddings of images by URL',
      path: '/v1/embeddings',
      body: { input: repeat(1_000, { image: imageUrl }) },
      ...{ input: 4_000_000, capUsd: 1 },
    },
    {
      name: 'embeddings of messages',
      path: '/v1/embeddings',
      body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: imageUrl } }] }] },
      ...{ input: 30_000, capUsd: 0.02 },
    },
    {
      name: 'embeddings of a text and messages',
      path: '/v1/embeddings',
      body: {
        input: 'Hi',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: imageUrl } }] }],
      },
      ...{ input: 30_000, capUsd: 0.02 },
    },
    {
      name: 'rerank of images by URL',
      path: '/v1/rerank',
      body: { query: 'a cat', documents: repeat(100, { image: imageUrl }) },
      ...{ input: 300_000, capUsd: 0.2 },
    },
  ])('$name', async ({ name, path = '/v1/chat/completions', body, input, capUsd, served = 0 }) => {
    const bill = new Bill(CHEAP)
    const model = `reads more: ${name}`
    await upstream.model(model, answers(bill, { input }), { pricing: CHEAP, contextWindow: 200_000 })
    const key = await createKey(capUsd)
    for (let round = 0; round < ROUNDS; round++)
      await tollgate.call('POST', path, { as: key.secret, body: { max_tokens: 100, model, ...body } })
    expect(bill.usd).toBeLessThanOrEqual(capUsd)
    expect((await tollgate.getKey(key.id)).spendUsd).toBeCloseTo(bill.usd, 6)
    expect(upstream.calls(model).length).toBeGreaterThanOrEqual(served)
  })
})

describe('Tools of the provider in an item of the input', () => {
  const SEARCHES = 30
  const pricing = { ...PRICING, perThousandWebSearches: 10 }
  const searchesOften =
    (bill: Bill): ModelHandler =>
    (exchange) => {
      bill.add(20, 1_000)
      bill.otherUsd += (SEARCHES * pricing.perThousandWebSearches) / 1_000
      const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } }
      const output = Array.from({ length: SEARCHES }, (_, nth) => ({ ...search, id: `ws_${nth}` }))
      const usage = { input_tokens: 20, output_tokens: 1_000, total_tokens: 1_020 }
      const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed' }
      exchange.reply(200, { ...response, output, usage })
    }
  const user = { type: 'message', role: 'user', content: 'Hi' }
  const items = (type: string) => ({
    additional_tools: [{ type: 'additional_tools', role: 'developer', tools: [{ type }] }, user],
    tool_search_output: [
      {
        type: 'tool_search_output',
        call_id: null,
        status: 'completed',
        execution: 'server',
        tools: [{ type }],
      },
      user,
    ],
  })
  const PLACES = ['additional_tools', 'tool_search_output'] as const

  test.each(PLACES)('in %s, a strict cap holds', async (place) => {
    const bill = new Bill()
    const model = `searches: ${place}`
    await upstream.model(model, searchesOften(bill), {
      ...{ provider: 'responses', pricing, contextWindow: 10_000 },
    })
    const key = await createKey(0.1)
    const input = items('web_search')[place]
    for (let round = 0; round < ROUNDS; round++)
      await tollgate.call('POST', '/v1/responses', {
        as: key.secret,
        body: { model, max_output_tokens: 1_000, input },
      })
    expect(bill.usd).toBeLessThanOrEqual(0.1)
  })

  test.each(
    PLACES.flatMap((place) =>
      ['web_search', 'code_interpreter', 'image_generation', 'of_tomorrow'].map((type) => ({ place, type })),
    ),
  )('in $place, $type without a price is refused under a normal cap', async ({ place, type }) => {
    const model = `no price: ${place} ${type}`
    await upstream.model(model, searchesOften(new Bill()), {
      ...{ provider: 'responses', pricing: PRICING, contextWindow: 10_000 },
    })
    const key = await createKey(1, { strict: false })
    const { status, json } = await tollgate.call('POST', '/v1/responses', {
      as: key.secret,
      body: { model, max_output_tokens: 1_000, input: items(type)[place] },
    })
    expect([status, json.error?.code, json.error?.param]).toEqual([
      400,
      'model_unpriced',
      'input[0].tools[0]',
    ])
    expect(upstream.calls(model)).toEqual([])
  })
})

test('Rejected tokens of a predicted output, which are billed as output, fit under the cap', async () => {
  const bill = new Bill()
  const rejected = 16_000
  const details = { completion_tokens_details: { rejected_prediction_tokens: rejected } }
  await upstream.model('predicts', answers(bill, { output: rejected + 10 }, { usage: details }), {
    pricing: PRICING,
  })
  const capUsd = 0.3
  expect(computeOutputUsd(rejected)).toBeGreaterThan(capUsd)
  const key = await createKey(capUsd)
  const prediction = { type: 'content', content: 'x = 1;'.repeat(8_000) }
  await tollgate.chat({ model: 'predicts', max_tokens: 10, prediction }, { as: key.secret })
  expect(bill.usd).toBeLessThanOrEqual(capUsd)
})

test('A budget for thinking that does not fit within what the cap leaves is 402, not an invalid request', async () => {
  await upstream.model('thinks', (exchange) => exchange.reply(500, {}), {
    ...{ provider: 'claude', pricing: PRICING, maxOutputTokens: 10_000 },
  })
  const key = await createKey(0.045)
  const { status, json } = await tollgate.call('POST', '/v1/messages', {
    as: key.secret,
    body: {
      ...{ model: 'thinks', max_tokens: 4_000, messages: hi },
      thinking: { type: 'enabled', budget_tokens: 3_000 },
    },
  })
  expect([status, json.error?.message]).toEqual([402, expect.stringContaining('could cost up to $0.1')])
  expect(upstream.calls('thinks')).toEqual([])
})
