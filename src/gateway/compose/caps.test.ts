// Whatever the cost of a request depends on, concurrent requests exceed a cap by at most one of them.
import { describe, expect, it, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import {
  billing,
  startTestUpstream,
  type TestExchange,
  type TestHandler,
} from '../upstream/testing/test-upstream.ts'
import { listEvents } from '../upstream/testing/vendor-formats.ts'

const BYTES_PER_TOKEN = 4
/** The cost of each request below, in USD: 200,000 tokens at 1 USD per million. */
const COST = 0.2
const TOKENS = 200_000
const CAP = 0.25

const tollgate = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream())

const LARGE = 'x'.repeat(TOKENS * BYTES_PER_TOKEN)

/** Bills one token for every four bytes it receives. */
const bySize: TestHandler = (exchange) =>
  exchange.reply(200, billedCompletion(Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), 1))
/** Supports only the older name of the output limit, and writes as much as it allows. */
const byLimit: TestHandler = (exchange) => {
  const limit = exchange.request.json().max_tokens
  exchange.reply(200, billedCompletion(1, typeof limit === 'number' ? limit : TOKENS))
}
/** Reads a stored file of that size. */
const byFile: TestHandler = (exchange) => exchange.reply(200, billedCompletion(TOKENS, 1))

const serveModel = (model: Record<string, unknown> = {}) => addPricedModel(tollgate, upstream.url, { model })

async function spendOf20(
  request: Record<string, unknown>,
  cap = CAP,
): Promise<{ spent: number; statuses: Set<number> }> {
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: cap })
  const send = () => tollgate.chat({ model: 'm', ...request }, { as: key.secret })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
  expect(reservedUsd).toBe(0)
  return { spent: spendUsd, statuses: new Set(answers.map(({ status }) => status)) }
}

describe('20 concurrent requests exceed the cap by at most one of them', () => {
  it.each<[string, TestHandler, Record<string, unknown>, Record<string, unknown>?]>([
    ['with text in the messages', bySize, { messages: [{ role: 'user', content: LARGE }] }],
    ['with text in a field of its vendor', bySize, { documents: [{ text: LARGE }] }],
    [
      'with a file that is only named',
      byFile,
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    [
      'with two output limits, of which the server knows one',
      byLimit,
      { max_completion_tokens: 1, max_tokens: TOKENS },
    ],
    ['with the output limit that the server does not know', byLimit, { max_completion_tokens: TOKENS }],
  ])('%s', async (_, bills, request, model) => {
    upstream.handler = bills
    await serveModel(model)
    const { spent } = await spendOf20(request)
    expect(spent).toBeLessThanOrEqual(CAP + COST + 0.001)
  })

  it('without a known output limit of the model', async () => {
    upstream.handler = byLimit
    await serveModel({ maxOutputTokens: null })
    // 16,384 tokens are reserved then, and asked for.
    const { spent } = await spendOf20({}, 0.02)
    expect(upstream.requests.every((request) => request.json().max_tokens === 16_384)).toBe(true)
    expect(spent).toBeLessThanOrEqual(0.02 + 0.0165)
  })

  it('when a provider without n gets the prompt once for each choice', async () => {
    upstream.handler = (exchange) =>
      exchange.reply(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), output_tokens: 1 },
      })
    await addPricedModel(tollgate, upstream.url, { provider: { apiFormat: 'anthropic-messages' } })
    const messages = [{ role: 'user', content: LARGE }]
    const { spent } = await spendOf20({ messages, n: 4 })
    expect(spent).toBeLessThanOrEqual(CAP + 4 * COST + 0.001)
  })
})

// However many requests arrive together, their prompts exceed a cap by at most one request: the gateway reserves what it
// sends to the provider, and what may be added until the end. The oracle is the bill of the scripted vendor.
const CROWD = 20

const CAP_USD = 1

const PRICING = { inputPerMillion: 3, outputPerMillion: 15 }

const FOUND = 150_000

/** The vendor's bill for one request. */
const BILL_USD = (FOUND * PRICING.inputPerMillion + 2 * PRICING.outputPerMillion) / 1e6

const searchAsClaude: TestHandler = (exchange) =>
  exchange
    .begin()
    .events(
      ...listEvents(
        'anthropic-messages',
        { texts: ['Hi'], usage: { input_tokens: FOUND, output_tokens: 2 } },
        { input_tokens: 100 },
      ),
    )
    .end()

function readPagesAsGemini(exchange: TestExchange): void {
  const chunk = (text: string, usage: object, finish = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...finish }],
    usageMetadata: usage,
  })
  const usage = { promptTokenCount: 100, candidatesTokenCount: 1 }
  const last = { promptTokenCount: 100, toolUsePromptTokenCount: FOUND - 100, candidatesTokenCount: 2 }
  exchange
    .begin()
    .data(chunk('Hi', usage), chunk('.', last, { finishReason: 'STOP' }))
    .end()
}

/** Sends many copies of the request concurrently under the cap, and compares the vendor's bill with the books. */
async function expectWithinCap(
  bill: number,
  path: string,
  call: { body: object; headers?: Record<string, string> },
) {
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: CAP_USD })
  const send = () => tollgate.call('POST', path, { as: key.secret, ...call })
  const answers = await Promise.all(Array.from({ length: CROWD }, send))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]))
  const billed = upstream.requests.length * bill
  expect(billed).toBeGreaterThanOrEqual(CAP_USD)
  expect(billed).toBeLessThanOrEqual(CAP_USD + bill)
  const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
  expect([spendUsd, reservedUsd]).toEqual([expect.closeTo(billed, 9), 0])
}

const MODEL = {
  pricing: { ...PRICING, perThousandWebSearches: 0 },
  contextWindow: 200_000,
  maxOutputTokens: 1_000,
}

test.each([
  {
    format: 'anthropic-messages',
    handler: searchAsClaude,
    path: '/v1/messages',
    body: {
      model: 'm',
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  },
  {
    format: 'gemini-generate',
    handler: readPagesAsGemini,
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      contents: [{ parts: [{ text: 'Hi' }] }],
      generationConfig: { maxOutputTokens: 100 },
      tools: [{ urlContext: {} }],
    },
  },
])('streams of $format keep the reservation of what their tools find', async (each) => {
  const { format: apiFormat, handler, path, body } = each
  upstream.handler = handler
  await addPricedModel(tollgate, upstream.url, { provider: { apiFormat }, model: MODEL })
  await expectWithinCap(BILL_USD, path, { body })
})

test('a beta that enlarges the context window enlarges what is reserved', async () => {
  const tokens = 800_000
  const usage = { input_tokens: tokens, output_tokens: 2 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' }
  upstream.handler = (exchange) =>
    exchange.reply(200, { ...message, content: [{ type: 'text', text: 'Hi' }], usage })
  await addPricedModel(tollgate, upstream.url, {
    provider: { apiFormat: 'anthropic-messages' },
    model: MODEL,
  })
  const messages = [
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } }],
    },
  ]
  const body = { model: 'm', max_tokens: 20, messages }
  const bill = (tokens * PRICING.inputPerMillion + 2 * PRICING.outputPerMillion) / 1e6
  await expectWithinCap(bill, '/v1/messages', {
    body,
    headers: { 'anthropic-beta': 'a,context-1m-2025-08-07' },
  })
})

test('reasoning that the output limit does not cover is reserved for a plain call', async () => {
  const reasoning = 20_000
  const bill = (10 * PRICING.inputPerMillion + (2 + reasoning) * PRICING.outputPerMillion) / 1e6
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 2,
    total_tokens: 12 + reasoning,
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  upstream.handler = (exchange) => exchange.reply(200, { ...billedCompletion(10, 2), usage })
  await tollgate.addProvider('mine', upstream.url, [])
  const model = { ...MODEL, provider: 'mine', maxOutputTokens: 30_000 }
  await tollgate.call('PUT', '/v1/models/grok-x', { body: model })
  const messages = [{ role: 'user', content: 'Hi' }]
  await expectWithinCap(bill, '/v1/chat/completions', { body: { model: 'grok-x', max_tokens: 20, messages } })
})

/** The highest possible cost of a request at a dollar per million tokens: each byte of its body, and its output limit. */
const mostUsd = (body: object, outputTokens: number) =>
  (Buffer.byteLength(JSON.stringify(body)) + 100 + outputTokens) / 1_000_000

/** The price of 2,000,000 tokens, which stand for a context window that is not known, and of a full output. */
const FULL_USD = 2.0001

/** What the provider reports, and the cost of that in USD. */
const reports: [string, prompt: number, completion: number, costUsd: number][] = [
  ['output tokens', 10, 9_000_000, 9.00001],
  ['prompt tokens', 9_000_000, 5, 9.000005],
]

describe.each([false, true])('with `stream` at %s', (stream) => {
  const body = { model: 'm', stream, max_tokens: 5, messages: [{ role: 'user', content: 'x'.repeat(100) }] }
  const sendCrowd = async (spendLimitUsd: number | null) => {
    const key = await tollgate.createKey({ name: `cap ${spendLimitUsd}`, scope: 'full', spendLimitUsd })
    const send = () => tollgate.chat(body, { as: key.secret })
    await Promise.all(Array.from({ length: 40 }, send))
    return { ...(await tollgate.getKey(key.id)), next: await send() }
  }

  it.each(reports)(
    '%s that the model cannot have are charged at the bound, and the rest is held under a cap',
    async (_name, prompt, completion, costUsd) => {
      await serveModel({ maxOutputTokens: 100 })
      upstream.handler = billing(prompt, completion)
      const capped = await sendCrowd(1)
      const served = upstream.requests.length
      expect(capped.spendUsd).toBeLessThanOrEqual(served * mostUsd(body, 5))
      expect(capped.spendUsd + capped.reservedUsd).toBeCloseTo(served * FULL_USD, 6)
      expect(capped.next.json.error.code).toBe('spend_held')
      const uncapped = await sendCrowd(null)
      expect(uncapped).toMatchObject({ reservedUsd: 0, next: { status: 200 } })
      expect(uncapped.spendUsd).toBeLessThanOrEqual(40 * mostUsd(body, 5))
      const [record] = await tollgate.records()
      expect(record).toMatchObject({ costStatus: 'estimated', costLowUsd: 0, costHighUsd: costUsd })
    },
  )

  it('a cost that the model can have is charged in full, and counts', async () => {
    await serveModel({ maxOutputTokens: 100 })
    upstream.handler = billing(10, 5, { cost: 0.99 })
    const { spendUsd, next } = await sendCrowd(1)
    expect(spendUsd).toBeCloseTo(upstream.requests.length * 0.99, 6)
    expect(next.status).toBe(402)
  })
})
