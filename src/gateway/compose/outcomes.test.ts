// How failed requests end, over HTTP: what is charged, what is stored, what can be retried.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readData, startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { addPricedModel, PRICING } from '../testing/priced-model.ts'
import {
  startTestUpstream,
  type TestUpstream,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'

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

const serve = (provider: Record<string, unknown> = {}, model: Record<string, unknown> = {}) =>
  addPricedModel(tollgate, upstream.url, { provider, model: { maxOutputTokens: 1_000, ...model } })

const message = (text: string, input: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: input, output_tokens: 10 },
})
const TOO_MANY = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }

describe('upstream calls for several choices', () => {
  const anthropic = { apiFormat: 'anthropic-messages' }

  it('are charged for the successful ones when the others fail', async () => {
    let calls = 0
    upstream.handler = (exchange) => {
      calls += 1
      if (calls <= 3) exchange.reply(200, message('Hi', 1_000))
      else exchange.reply(429, TOO_MANY, { 'retry-after': '0' })
    }
    await serve(anthropic)
    const answer = await tollgate.chat({ model: 'm', n: 4 })
    expect(answer.status).toBe(503)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'exact', costUsd: 0.00303, tokensIn: 3_000 })
    // Three successful calls, and three attempts of the fourth.
    expect(upstream.requests).toHaveLength(6)
  })

  it('are not repeated once successful, and each is charged once', async () => {
    let calls = 0
    upstream.handler = (exchange) => {
      calls += 1
      if (calls === 2) exchange.reply(429, TOO_MANY, { 'retry-after': '0' })
      else exchange.reply(200, message(`choice ${calls}`, 1_000))
    }
    await serve(anthropic)
    const answer = await tollgate.chat({ model: 'm', n: 4 })
    expect(answer.json.choices).toHaveLength(4)
    expect(answer.json.usage).toMatchObject({ prompt_tokens: 4_000, completion_tokens: 40, cost: 0.00404 })
    expect(upstream.requests).toHaveLength(5)
  })
})

describe('a connection that breaks after the request was sent', () => {
  it('leaves an unsettled charge with bounds', async () => {
    upstream.handler = (exchange) => {
      exchange.begin({ 'content-type': 'application/json' }).raw(' '.repeat(3_000))
      setTimeout(() => exchange.reset(), 10)
    }
    await serve()
    expect((await tollgate.chat({ model: 'm' })).status).toBe(502)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ costStatus: 'unsettled', costLowUsd: 0 })
    expect(record?.costUsd).toBeGreaterThan(0)
    expect(record?.costHighUsd).toBeGreaterThan(0.001)
  })

  it('is charged by the provider’s count so far', async () => {
    upstream.handler = (exchange) => {
      const start = { type: 'message_start', message: { ...message('', 90_000), content: [] } }
      exchange.begin().raw(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`)
      setTimeout(() => exchange.reset(), 10)
    }
    await serve({ apiFormat: 'anthropic-messages' })
    const messages = [{ role: 'user', content: 'ab '.repeat(60_000) }]
    await tollgate.chat({ model: 'm', stream: true, messages })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ costStatus: 'unsettled', tokensIn: 90_000 })
    expect(record?.costUsd).toBeGreaterThanOrEqual(0.09)
  })
})

it.each([500, 502, 503, 504, 529])('a response with an error status costs nothing: %i', async (status) => {
  upstream.handler = (exchange) =>
    exchange.reply(status, { error: { message: 'no' } }, { 'retry-after': '0' })
  await serve()
  await tollgate.chat({ model: 'm' })
  expect((await tollgate.records())[0]).toMatchObject({ costStatus: 'free', costUsd: 0 })
})

it('a provider that cannot be reached costs nothing', async () => {
  await tollgate.addProvider('down', 'http://127.0.0.1:1', ['unreachable'])
  expect((await tollgate.chat({ model: 'unreachable' })).status).toBe(502)
  expect((await tollgate.records())[0]).toMatchObject({ costStatus: 'free', costUsd: 0 })
})

it('a disconnect during the connection to the upstream is settled immediately, and costs nothing', async () => {
  // The upstream does not speak TLS, so the handshake never completes.
  upstream.handler = () => undefined
  await serve({ baseUrl: upstream.url.replace('http:', 'https:'), connectTimeoutMs: 20_000 })
  const client = new AbortController()
  const call = tollgate.chat({ model: 'm' }, { signal: client.signal })
  await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('running')
  client.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(async () => (await tollgate.records())[0]?.status, { timeout: 1_000 }).toBe('canceled')
  expect((await tollgate.records())[0]).toMatchObject({ costStatus: 'free', costUsd: 0 })
})

describe('an answer under an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'k' }

  it('that reached no upstream is not stored: the same key can run the request later', async () => {
    await tollgate.addProvider('mine', 'http://127.0.0.1:1', [])
    await tollgate.call('PUT', '/v1/models/m', { body: { provider: 'mine', pricing: PRICING } })
    expect((await tollgate.chat({ model: 'm' }, { headers })).status).toBe(502)
    upstream.handler = (exchange) => exchange.reply(200, testCompletion('Hi'))
    await tollgate.call('PUT', '/v1/providers/mine', { body: { baseUrl: upstream.url } })
    const second = await tollgate.chat({ model: 'm' }, { headers })
    expect(second.status).toBe(200)
    expect(second.headers.get('idempotency-replayed')).toBeNull()
  })

  it('from an upstream is stored, even an error', async () => {
    upstream.handler = (exchange) => exchange.reply(400, { error: { message: 'not like this' } })
    await serve()
    await tollgate.chat({ model: 'm' }, { headers })
    const second = await tollgate.chat({ model: 'm' }, { headers })
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([400, 'true'])
    expect(upstream.requests).toHaveLength(1)
  })
})

it("removing a provider ends a request that waits for its key's cap, and leaves nothing reserved", async () => {
  let finish = () => {}
  upstream.handler = (exchange) => {
    finish = () => exchange.reply(200, testCompletion('Hi'))
  }
  await serve({}, { maxOutputTokens: 10_000 })
  const key = await tollgate.createKey({ name: 'waits', scope: 'full', spendLimitUsd: 0.005 })
  const first = tollgate.chat({ model: 'm' }, { as: key.secret })
  await expect.poll(() => upstream.requests.length).toBe(1)
  const second = tollgate.chat({ model: 'm' }, { as: key.secret })
  await expect
    .poll(async () => (await tollgate.call('GET', '/v1/requests?status=running')).json.data.length)
    .toBe(1)
  await tollgate.call('DELETE', '/v1/providers/mine')
  finish()
  expect((await first).status).toBe(200)
  expect((await second).status).toBe(404)
  expect((await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd).toBe(0)
  expect((await tollgate.call('GET', '/v1/requests?status=running')).json.data).toEqual([])
})

describe('implausible usage from an upstream', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a trillion tokens', { prompt_tokens: 1e12, completion_tokens: 1e12, total_tokens: 2e12 }],
    ['ten million dollars', { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, cost: 10_000_000 }],
    ['a cost in micro-dollars', { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, cost: 8_000 }],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ])('is estimated, plain and streamed, and leaves nothing reserved: %s', async (_, usage) => {
    upstream.handler = (exchange) => {
      if (!exchange.request.json().stream)
        return exchange.reply(200, { ...testCompletion('x'.repeat(10_000)), usage })
      exchange.begin().data(testChunk({ content: 'x'.repeat(10_000) }), testChunk({}, 'stop'))
      exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
    }
    await serve({}, { maxOutputTokens: 10_000 })
    const key = await tollgate.createKey({ name: 'odd', scope: 'full', spendLimitUsd: 1 })
    for (const stream of [false, true]) {
      const { status } = await tollgate.chat({ model: 'm', stream }, { as: key.secret })
      expect(status).toBe(200)
    }
    const records = await tollgate.records()
    expect(records.map(({ costStatus }) => costStatus)).toEqual(['estimated', 'estimated'])
    for (const { costUsd } of records) {
      expect(costUsd).toBeGreaterThan(0)
      expect(costUsd).toBeLessThan(0.01)
    }
    expect(records[0]?.costUsd).toBe(records[1]?.costUsd)
    expect((await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd).toBe(0)
  })
})

it('an answer interrupted during hidden reasoning is charged by estimate', async () => {
  upstream.handler = (exchange) => {
    const start = {
      type: 'message_start',
      message: { ...message('', 1_000), content: [], usage: { input_tokens: 1_000, output_tokens: 1 } },
    }
    const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'H' } }
    exchange.begin()
    for (const event of [start, block, delta])
      exchange.raw(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    exchange.end()
  }
  await serve({ apiFormat: 'anthropic-messages' })
  const { text } = await tollgate.chat({ model: 'm', stream: true })
  expect(readData(text).at(-1)).toHaveProperty('error')
  expect((await tollgate.records())[0]).toMatchObject({
    status: 'failed',
    costStatus: 'estimated',
    tokensIn: 1_000,
  })
})

it('a prompt that a provider quotes in its error is returned to the client, and not stored', async () => {
  const content = 'sentinel-4711 must not be stored'
  upstream.handler = (exchange) => exchange.reply(400, { error: { message: `Invalid content: ${content}` } })
  await serve()
  const answer = await tollgate.chat({ model: 'm', messages: [{ role: 'user', content }] })
  expect(answer.json.error.message).toContain('sentinel-4711')
  const records = JSON.stringify((await tollgate.call('GET', '/v1/requests')).json)
  expect(records).not.toContain('sentinel')
})
