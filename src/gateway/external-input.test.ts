// What a provider adds to a prompt by itself is reserved until the end of the request, whatever it reports before. The
// oracle is the bill of the scripted vendor.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from './testing/gateway.ts'
import { addPricedModel } from './testing/priced-model.ts'
import { startTestUpstream, type TestExchange, type TestUpstream } from './upstream/testing/test-upstream.ts'

const CROWD = 20
const CAP_USD = 1
const PRICING = { inputPerMillion: 3, outputPerMillion: 15 }
const FOUND = 150_000
/** What the vendor bills for one request. */
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
  const model = { pricing: PRICING, contextWindow: 200_000, maxOutputTokens: 1_000 }
  await addPricedModel(tollgate, upstream.url, { provider: { apiFormat }, model })
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: CAP_USD })
  const send = () => tollgate.call('POST', path, { as: key.secret, body })
  await Promise.all(Array.from({ length: CROWD }, send))
  const billed = upstream.requests.length * BILL_USD
  expect(billed).toBeGreaterThanOrEqual(CAP_USD)
  expect(billed).toBeLessThanOrEqual(CAP_USD + BILL_USD)
  const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
  expect([spendUsd, reservedUsd]).toEqual([expect.closeTo(billed, 9), 0])
})
