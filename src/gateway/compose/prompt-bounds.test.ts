// However many requests arrive together, their prompts exceed a cap by at most one request: the gateway reserves what it
// sends to the provider, and what may be added until the end. The oracle is the bill of the scripted vendor.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import { startTestUpstream, type TestExchange, type TestUpstream } from '../upstream/testing/test-upstream.ts'

const CROWD = 20
const CAP_USD = 1
const PRICING = { inputPerMillion: 3, outputPerMillion: 15 }
const FOUND = 150_000
/** The vendor's bill for one request. */
const BILL_USD = (FOUND * PRICING.inputPerMillion + 2 * PRICING.outputPerMillion) / 1e6

let tollgate: TestGateway
let upstream: TestUpstream

beforeEach(async () => {
  tollgate = await startTestGateway()
  upstream = await startTestUpstream()
})
afterEach(async () => {
  await tollgate.close()
  await upstream.close()
})

function searchAsClaude(exchange: TestExchange): void {
  exchange.begin()
  for (const event of [
    {
      type: 'message_start',
      message: { id: 'msg_1', model: 'm', usage: { input_tokens: 100, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: FOUND, output_tokens: 2 },
    },
    { type: 'message_stop' },
  ])
    exchange.raw(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  exchange.end()
}

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
  const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
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

const ANSWERS: Readonly<Record<string, (prompt: number) => object>> = {
  'openai-responses': (prompt) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
    usage: { input_tokens: prompt, output_tokens: 2, total_tokens: prompt + 2 },
  }),
  'openai-chat': (prompt) => billedCompletion(prompt, 2),
  'anthropic-messages': (prompt) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: prompt, output_tokens: 2 },
  }),
  'gemini-generate': (prompt) => ({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: 2 },
  }),
}

const computeBill = (tokens: number) =>
  (tokens * PRICING.inputPerMillion + 2 * PRICING.outputPerMillion) / 1e6

/** Text of which each byte is a token, so that its bytes are what the vendor bills. */
const TEXT = '1 '.repeat(60_000)
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(40_000)}` } }

test.each([
  ['system', 'anthropic-messages'],
  ['developer', 'anthropic-messages'],
  ['assistant', 'anthropic-messages'],
  ['system', 'gemini-generate'],
  ['developer', 'gemini-generate'],
])('the text next to an image in a message of the role %s is reserved at %s', async (role, apiFormat) => {
  upstream.handler = (exchange) => exchange.reply(200, ANSWERS[apiFormat]?.(TEXT.length))
  await addPricedModel(tollgate, upstream.url, { provider: { apiFormat }, model: MODEL })
  const messages = [
    { role, content: [{ type: 'text', text: TEXT }, IMAGE] },
    { role: 'user', content: 'Hi' },
  ]
  const body = { model: 'm', max_tokens: 20, messages }
  await expectWithinCap(computeBill(TEXT.length), '/v1/chat/completions', { body })
})

const user = { role: 'user', content: 'Hi' }

test.each<[string, string, string, object]>([
  ['an item by id', 'openai-responses', '/v1/responses', { input: [{ id: 'msg_abc' }, user] }],
  [
    'stored reasoning',
    'openai-responses',
    '/v1/responses',
    { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }, user] },
  ],
  [
    'an earlier answer in speech',
    'openai-chat',
    '/v1/chat/completions',
    { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }, user] },
  ],
])('the whole window is reserved for %s', async (_, apiFormat, path, body) => {
  upstream.handler = (exchange) => exchange.reply(200, ANSWERS[apiFormat]?.(FOUND))
  await addPricedModel(tollgate, upstream.url, { provider: { apiFormat }, model: MODEL })
  await expectWithinCap(BILL_USD, path, { body: { model: 'm', ...body } })
})

test('a beta that enlarges the context window enlarges what is reserved', async () => {
  const tokens = 800_000
  const apiFormat = 'anthropic-messages'
  upstream.handler = (exchange) => exchange.reply(200, ANSWERS[apiFormat]?.(tokens))
  await addPricedModel(tollgate, upstream.url, { provider: { apiFormat }, model: MODEL })
  const messages = [
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } }],
    },
  ]
  const body = { model: 'm', max_tokens: 20, messages }
  await expectWithinCap(computeBill(tokens), '/v1/messages', {
    body,
    headers: { 'anthropic-beta': 'a,context-1m-2025-08-07' },
  })
})

test('a prompt that is longer than the window in the catalog reserves its bytes', async () => {
  const apiFormat = 'openai-chat'
  const text = TEXT.repeat(4)
  upstream.handler = (exchange) => exchange.reply(200, ANSWERS[apiFormat]?.(text.length))
  await addPricedModel(tollgate, upstream.url, {
    provider: { apiFormat },
    model: { ...MODEL, contextWindow: 16_000 },
  })
  const body = { model: 'm', max_tokens: 20, messages: [{ role: 'user', content: text }] }
  await expectWithinCap(computeBill(text.length), '/v1/chat/completions', { body })
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
