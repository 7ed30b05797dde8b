// Caps under concurrency, seen from outside: whatever a request's cost hides in, spend passes a cap by at most one plain
// request, and a stream stops where its cap is consumed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataOf, startTestGateway, type TestGateway } from './testing/gateway.ts'
import {
  startTestUpstream,
  type TestExchange,
  type TestHandler,
  type TestUpstream,
  testChunk,
  testCompletion,
} from './upstream/testing/test-upstream.ts'

const BYTES_PER_TOKEN = 4
/** What each of the requests below costs, in USD: 200,000 tokens at 1 USD per million. */
const COST = 0.2
const TOKENS = 200_000
const CAP = 0.25

let tollgate: TestGateway
let upstream: TestUpstream
let handler: TestHandler

beforeEach(async () => {
  tollgate = await startTestGateway()
  upstream = await startTestUpstream((exchange) => handler(exchange))
})
afterEach(async () => {
  await tollgate.close()
  await upstream.close()
})

const pricing = { inputPerMillion: 1, outputPerMillion: 1 }
const LARGE = 'x'.repeat(TOKENS * BYTES_PER_TOKEN)
const answer = (prompt: number, completion: number) => ({
  ...testCompletion('Hi'),
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})

/** Bills what it is sent: a token for four bytes. */
const bySize: TestHandler = (exchange) =>
  exchange.reply(200, answer(Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), 1))
/** Knows the older name of the output limit only, and writes as much as that allows. */
const byLimit: TestHandler = (exchange) => {
  const limit = exchange.request.json().max_tokens
  exchange.reply(200, answer(1, typeof limit === 'number' ? limit : TOKENS))
}
/** Reads a stored file of that size. */
const byFile: TestHandler = (exchange) => exchange.reply(200, answer(TOKENS, 1))

async function serveModel(model: Record<string, unknown> = {}): Promise<void> {
  await tollgate.addProvider('mine', upstream.url, [])
  const body = { provider: 'mine', pricing, maxOutputTokens: 10, ...model }
  await tollgate.call('PUT', '/v1/models/m', { body })
}

async function spentBy20(
  request: Record<string, unknown>,
  cap = CAP,
): Promise<{ spent: number; statuses: Set<number> }> {
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: cap })
  const send = () => tollgate.chat({ model: 'm', ...request }, { as: key.secret })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
  expect(reservedUsd).toBe(0)
  return { spent: spendUsd, statuses: new Set(answers.map(({ status }) => status)) }
}

const tool = (properties: object) => ({
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties } },
})

describe('20 requests at once spend no more than the cap and one of them', () => {
  it.each<[string, TestHandler, Record<string, unknown>, Record<string, unknown>?]>([
    ['with text in the messages', bySize, { messages: [{ role: 'user', content: LARGE }] }],
    ['with text in functions', bySize, { functions: [{ name: 'f', description: LARGE }] }],
    ['with text in a prediction', bySize, { prediction: { type: 'content', content: LARGE } }],
    ['with text in a field of its vendor', bySize, { documents: [{ text: LARGE }] }],
    [
      'with text in a parameter called image_url',
      bySize,
      { tools: [tool({ image_url: { description: LARGE } })] },
    ],
    [
      'with text in a member called image_url',
      bySize,
      { messages: [{ role: 'user', content: 'Hi', image_url: { url: LARGE } }] },
    ],
    [
      'with text that only pretends to be an image',
      bySize,
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${LARGE} !` } }],
          },
        ],
      },
    ],
    [
      'with a file that is only named',
      byFile,
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    ['with a search', byFile, { web_search_options: {} }],
    [
      'with two output limits, of which the server knows one',
      byLimit,
      { max_completion_tokens: 1, max_tokens: TOKENS },
    ],
    ['with the output limit that the server does not know', byLimit, { max_completion_tokens: TOKENS }],
  ])('%s', async (_, bills, request, model) => {
    handler = bills
    await serveModel(model)
    const { spent } = await spentBy20(request)
    expect(spent).toBeLessThanOrEqual(CAP + COST + 0.001)
  })

  it('where nobody states how much the model may write', async () => {
    handler = byLimit
    await serveModel({ maxOutputTokens: null })
    // 16,384 tokens are reserved then, and asked for.
    const { spent } = await spentBy20({}, 0.02)
    expect(upstream.requests.every((request) => request.json().max_tokens === 16_384)).toBe(true)
    expect(spent).toBeLessThanOrEqual(0.02 + 0.0165)
  })

  it('where a provider without n is sent the prompt for each choice', async () => {
    handler = (exchange) =>
      exchange.reply(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), output_tokens: 1 },
      })
    await tollgate.addProvider('mine', upstream.url, [], { apiFormat: 'anthropic-messages' })
    await tollgate.call('PUT', '/v1/models/m', { body: { provider: 'mine', pricing, maxOutputTokens: 10 } })
    const messages = [{ role: 'user', content: LARGE }]
    const { spent } = await spentBy20({ messages, n: 4 })
    expect(spent).toBeLessThanOrEqual(CAP + 4 * COST + 0.001)
  })
})

describe('a stream under a cap', () => {
  const words = (count: number) => Array.from({ length: count }, () => testChunk({ content: 'word ' }))
  const stream = { model: 'm', stream: true }

  it('runs past what was likely, and is charged by what its provider counted', async () => {
    handler = (exchange) => {
      const usage = { prompt_tokens: 10, completion_tokens: 5_000, total_tokens: 5_010 }
      exchange.begin().data(...words(5_000), testChunk({}, 'stop'))
      exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
    }
    await serveModel({ maxOutputTokens: 100_000 })
    const key = await tollgate.createKey({ name: 'ample', scope: 'full', spendLimitUsd: 1 })
    const { text } = await tollgate.chat(stream, { as: key.secret })
    expect(dataOf(text).at(-1)).toBe('[DONE]')
    expect((await tollgate.call('GET', `/v1/keys/${key.id}`)).json).toMatchObject({
      spendUsd: 0.00501,
      reservedUsd: 0,
    })
  })

  it('is cut where the cap is consumed: an error chunk, what came is charged, and the next request is 402', async () => {
    let sending: TestExchange | undefined
    handler = (exchange) => {
      sending = exchange
      exchange.begin().data(...words(20_000))
    }
    await serveModel({ maxOutputTokens: 100_000 })
    const key = await tollgate.createKey({ name: 'tight', scope: 'full', spendLimitUsd: 0.003 })
    const { status, text } = await tollgate.chat(stream, { as: key.secret })
    expect(status).toBe(200)
    const events = dataOf(text)
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({
      error: { type: 'insufficient_quota', code: 'spend_limit_reached' },
    })
    await sending?.gone
    const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    expect(reservedUsd).toBe(0)
    expect(spendUsd).toBeGreaterThanOrEqual(0.003)
    expect(spendUsd).toBeLessThan(0.0031)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated' })
    expect((await tollgate.chat(stream, { as: key.secret })).status).toBe(402)
  })

  it('waits for other requests to leave room, and goes on when they have', async () => {
    let finish: (() => void) | undefined
    handler = (exchange) => {
      if (exchange.request.json().stream) {
        exchange
          .begin()
          .data(...words(3_000), testChunk({}, 'stop'), '[DONE]')
          .end()
      } else finish = () => exchange.reply(200, answer(10, 10))
    }
    await serveModel({ maxOutputTokens: 8_000 })
    const key = await tollgate.createKey({ name: 'shared', scope: 'full', spendLimitUsd: 0.01 })
    const plain = tollgate.chat({ model: 'm' }, { as: key.secret })
    await expect.poll(() => finish).toBeDefined()
    const streamed = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...stream, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    // Paused, it holds nothing but what it has consumed.
    await expect
      .poll(async () => (await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd)
      .toBeGreaterThan(0.0099)
    finish?.()
    expect((await plain).status).toBe(200)
    expect(dataOf(await streamed.text()).at(-1)).toBe('[DONE]')
  })

  it('lets many run at once that each may write much more than they will', async () => {
    const running: TestExchange[] = []
    handler = (exchange) =>
      void running.push(exchange.begin().data(testChunk({ role: 'assistant', content: 'Hi' })))
    await serveModel({ maxOutputTokens: 128_000, pricing: { inputPerMillion: 3, outputPerMillion: 20 } })
    const key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 5 })
    const streams = Array.from({ length: 10 }, () => tollgate.chat(stream, { as: key.secret }))
    await expect.poll(() => running.length).toBe(10)
    const { reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    expect(reservedUsd).toBeLessThan(0.5)
    for (const exchange of running) exchange.data(testChunk({}, 'stop'), '[DONE]').end()
    for (const { status } of await Promise.all(streams)) expect(status).toBe(200)
  })

  it('reserves no more for the prompt than the provider counted, once it has', async () => {
    let exchange: TestExchange | undefined
    handler = (each) => {
      exchange = each
      const message = { id: 'msg_1', model: 'm', usage: { input_tokens: 1_000, output_tokens: 1 } }
      const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }
      each.begin()
      for (const event of [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        delta,
      ])
        each.raw(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    await tollgate.addProvider('mine', upstream.url, [], { apiFormat: 'anthropic-messages' })
    await tollgate.call('PUT', '/v1/models/m', {
      body: { provider: 'mine', pricing, maxOutputTokens: 8_000 },
    })
    const key = await tollgate.createKey({ name: 'cached', scope: 'full', spendLimitUsd: 5 })
    const messages = [{ role: 'user', content: 'x'.repeat(400_000) }]
    const response = tollgate.chat({ ...stream, messages }, { as: key.secret })
    await expect
      .poll(async () => (await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd)
      .toBeGreaterThan(0.001)
    await expect
      .poll(async () => (await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd)
      .toBeLessThan(0.004)
    exchange?.reset()
    await response
  })
})
