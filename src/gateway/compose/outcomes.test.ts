// How failed requests end, over HTTP: what is charged, what is stored, what can be retried.
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { listen } from '../testing/listen.ts'
import { nano } from '../testing/money.ts'
import { addPricedModel, PRICING } from '../testing/priced-model.ts'
import { SkippableClock } from '../testing/short-waits.ts'
import { startTestUpstream, testChunk, testCompletion } from '../upstream/testing/test-upstream.ts'
import { listEvents } from '../upstream/testing/vendor-formats.ts'

const clock = new SkippableClock()
const tollgate = forEachTest(() => startTestGateway({ clock }))
const upstream = forEachTest(() => startTestUpstream())

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
      exchange.cut()
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
      exchange.cut()
    }
    await serve({ apiFormat: 'anthropic-messages' })
    const messages = [{ role: 'user', content: 'ab '.repeat(60_000) }]
    await tollgate.chat({ model: 'm', stream: true, messages })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ costStatus: 'unsettled', tokensIn: 90_000 })
    expect(record?.costUsd).toBeGreaterThanOrEqual(0.09)
  })
})

it('a disconnect during the connection to the upstream is settled immediately, and costs nothing', async () => {
  // It accepts connections and never says anything, so the handshake does not complete.
  const server = createServer(() => undefined)
  const port = await listen(server)
  onTestFinished(() => void server.close())
  await serve({ baseUrl: `https://127.0.0.1:${port}`, connectTimeoutMs: 20_000 })
  const client = new AbortController()
  const call = tollgate.chat({ model: 'm' }, { signal: client.signal })
  await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('running')
  client.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('canceled')
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
  expect((await tollgate.records()).map(({ status }) => status)).toEqual(['rejected', 'succeeded'])
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
  expect((await tollgate.call('GET', '/v1/requests?status=running')).json.data).toEqual([])
})

it('an answer interrupted during hidden reasoning is charged by estimate', async () => {
  upstream.handler = (exchange) => {
    const usage = { input_tokens: 1_000, output_tokens: 1 }
    exchange
      .begin()
      .events(...listEvents('anthropic-messages', { texts: ['H'], usage }).slice(0, 3))
      .end()
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

describe('the charge for an upstream', () => {
  const LIMIT_MS = 60_000

  it('is not zero for a call that timed out, even if the retry was rejected', async () => {
    let calls = 0
    upstream.handler = (exchange) => {
      calls += 1
      if (calls > 1) exchange.reply(400, { error: { message: 'not like this' } })
      else clock.skip(LIMIT_MS)
    }
    await tollgate.addProvider('mine', upstream.url, ['slow'], { firstByteTimeoutMs: LIMIT_MS })
    const key = await tollgate.createKey({ name: 'waits', scope: 'full', spendLimitUsd: 5 })
    const answer = await tollgate.chat({ model: 'slow' }, { as: key.secret })
    expect([answer.status, answer.json.error.message]).toEqual([400, 'not like this'])
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled', costLowUsd: 0 })
    expect(record?.costUsd).toBeGreaterThan(0)
    // Two attempts were reserved, and the rejected one is not billed.
    expect(2 * nano(record?.costHighUsd ?? 0)).toBe(nano(record?.reservedUsd ?? 0))
    const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
    expect([spendUsd, reservedUsd]).toEqual([record?.costUsd, record?.heldUsd])
    expect(nano(spendUsd) + nano(reservedUsd)).toBe(nano(record?.costHighUsd ?? 0))
  })

  it('uses the price of the provider that may have billed the call, not of the one that failed last', async () => {
    upstream.handler = (exchange) => {
      const { model } = exchange.request.json()
      if (model === 'refusing') exchange.reply(401, { error: { message: 'who are you?' } })
      if (model === 'cheap' || model === 'expensive') clock.skip(LIMIT_MS)
    }
    const put = async (id: string, inputPerMillion: number, fallbacks: string[]) => {
      await tollgate.addProvider(`at-${id}`, upstream.url, [], { firstByteTimeoutMs: LIMIT_MS })
      const pricing = { inputPerMillion, outputPerMillion: 2 }
      const body = { provider: `at-${id}`, pricing, maxOutputTokens: 100, fallbacks }
      await tollgate.call('PUT', `/v1/models/${id}`, { body })
    }
    await put('refusing', 1000, [])
    await put('cheap', 1, ['refusing'])
    await put('expensive', 7, ['cheap'])
    const answer = await tollgate.chat({ model: 'expensive' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ model: 'expensive', provider: 'at-expensive', costStatus: 'unsettled' })
    expect(record?.price?.pricing.inputPerMillion).toBe(7)
    expect(record?.attempts.map(({ provider }) => provider)).toEqual([
      ...['at-expensive', 'at-expensive', 'at-expensive', 'at-cheap', 'at-cheap', 'at-cheap'],
      'at-refusing',
    ])
    const likelyOutput = 100
    expect(nano(record?.costUsd ?? 0)).toBe((record?.tokensIn ?? 0) * 7_000 + likelyOutput * 2_000)
  })

  it('includes a time-out before a stream that failed without content', async () => {
    let calls = 0
    upstream.handler = (exchange) => {
      calls += 1
      if (calls === 1) return clock.skip(LIMIT_MS)
      exchange
        .begin()
        .data(testChunk({}), { error: { message: 'busy', code: 503 } })
        .end()
    }
    await tollgate.addProvider('mine', upstream.url, ['mute'], { firstByteTimeoutMs: LIMIT_MS })
    const answer = await tollgate.chat({ model: 'mute', stream: true })
    expect(readData(answer.text).at(-1)).toMatchObject({ error: { message: 'busy' } })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled' })
    expect(record?.costUsd).toBeGreaterThan(0)
  })
})
