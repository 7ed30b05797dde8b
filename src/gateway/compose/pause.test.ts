// The requests that a pause stops, and those that it lets finish.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import {
  startTestUpstream,
  type TestExchange,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'

const tollgate = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hi'))))
beforeEach(() => tollgate.addProvider('mine', upstream.url, ['m']))

const pause = (body?: object) => tollgate.call('POST', '/v1/pause', body ? { body } : {})
const resume = () => tollgate.call('POST', '/v1/resume')
const seen = () => upstream.requests.length

/** A handler that hands over the first exchange, and when it has come. */
function holdFirst(): Promise<TestExchange> {
  return new Promise((resolve) => {
    upstream.handler = (exchange) => resolve(exchange)
  })
}

describe('while everything is paused', () => {
  test('no request leaves, whatever its key and API, and resuming serves them again', async () => {
    const key = await tollgate.createKey({ name: 'agent', scope: 'completions-only' })
    const { json: account } = await pause()
    expect(Date.parse(account.pausedAt)).toBeGreaterThan(0)
    const refused = await tollgate.chat({ model: 'm' }, { as: key.secret })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(refused.json.error).toMatchObject({ type: 'permission_error', code: 'paused' })
    const messages = [{ role: 'user', content: 'Hello' }]
    const others: [string, object][] = [
      ['/v1/messages', { model: 'sandbox-small', max_tokens: 5, messages }],
      ['/v1/messages/count_tokens', { model: 'sandbox-small', messages }],
      ['/v1/responses', { model: 'm', input: 'Hello', stream: true }],
      ['/v1/embeddings', { model: 'm', input: 'Hello' }],
      ['/v1beta/models/never-heard-of:generateContent', { contents: [{ parts: [{ text: 'Hello' }] }] }],
    ]
    for (const [path, body] of others)
      expect([path, (await tollgate.call('POST', path, { as: key.secret, body })).status]).toEqual([
        path,
        403,
      ])
    const playground = await tollgate.chat({}, { headers: { 'x-tollgate-bill-to': 'playground' } })
    expect(playground.status).toBe(403)
    expect(seen()).toBe(0)
    await vi.waitFor(async () => {
      const [row] = (await tollgate.records()).filter(({ requestedModel }) => requestedModel === 'm')
      expect(row).toMatchObject({ status: 'refused', httpStatus: 403, costUsd: 0 })
    })
    expect((await resume()).json.pausedAt).toBeNull()
    expect((await tollgate.chat({ model: 'm' }, { as: key.secret })).status).toBe(200)
  })

  test('reading and administration continue', async () => {
    await pause()
    const paths = ['/v1/account', '/v1/keys', '/v1/models', '/v1/requests', '/v1/usage?groupBy=day']
    for (const path of paths) expect((await tollgate.call('GET', path)).status).toBe(200)
  })
})

describe('a request that runs when everything is paused', () => {
  test('finishes, and is charged as always', async () => {
    const held = holdFirst()
    const answer = tollgate.chat({ model: 'm' })
    const exchange = await held
    await pause({ running: 'finish' })
    exchange.reply(200, testCompletion('Hi'))
    expect((await answer).status).toBe(200)
  })

  test('is not tried again once it is between two attempts', async () => {
    upstream.handler = (exchange) =>
      exchange.reply(503, { error: { message: 'busy' } }, { 'retry-after': '9' })
    const answer = tollgate.chat({ model: 'm' })
    await vi.waitFor(() => expect(seen()).toBe(1))
    await pause()
    expect((await answer).json.error.code).toBe('paused')
    expect(seen()).toBe(1)
  })

  test('is not tried again when the attempt that was running fails', async () => {
    const held = holdFirst()
    const answer = tollgate.chat({ model: 'm' })
    const exchange = await held
    await pause()
    exchange.reply(503, { error: { message: 'busy' } })
    const { status, json, headers } = await answer
    expect([status, json.error.code]).toEqual([403, 'paused'])
    expect(headers.get('x-should-retry')).toBe('false')
    expect(seen()).toBe(1)
  })

  test('leaves the queue of its cap', async () => {
    const key = await tollgate.createKey({ name: 'small', scope: 'full', spendLimitUsd: 0.0001 })
    const held = holdFirst()
    const first = tollgate.chat({ model: 'm' }, { as: key.secret })
    const exchange = await held
    const waiting = tollgate.chat({ model: 'm' }, { as: key.secret })
    await vi.waitFor(async () => {
      const { json } = await tollgate.call('GET', `/v1/keys/${key.id}`)
      expect(json.reservedUsd).toBeGreaterThan(0)
    })
    await pause()
    expect((await waiting).json.error.code).toBe('paused')
    exchange.reply(200, testCompletion('Hi'))
    expect((await first).status).toBe(200)
    expect(seen()).toBe(1)
  })

  test('ends immediately if the user wants that, charged for what it has consumed', async () => {
    upstream.handler = (exchange) =>
      void exchange.begin().data(...Array(50).fill(testChunk({ content: 'word ' })))
    const response = await tollgate.openStream({ model: 'm' })
    await pause({ running: 'end' })
    const last = readData(await response.text()).at(-1)
    expect(last.error).toMatchObject({ type: 'permission_error', code: 'paused' })
    const [row] = await tollgate.records()
    expect(row).toMatchObject({ status: 'failed', costStatus: 'estimated' })
    expect(row?.costUsd).toBeGreaterThan(0)
  })
})

describe('a paused key', () => {
  test('is refused with the reason, reads as before, and leaves other keys alone', async () => {
    const key = await tollgate.createKey({ name: 'loop', scope: 'full' })
    const path = `/v1/keys/${key.id}`
    const { json: paused } = await tollgate.call('POST', `${path}/pause`, { body: { reason: 'It loops.' } })
    expect(paused).toMatchObject({ pausedAt: expect.any(String), pauseReason: 'It loops.' })
    const refused = await tollgate.chat({ model: 'm' }, { as: key.secret })
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([403, 'false'])
    expect(refused.json.error).toMatchObject({
      type: 'permission_error',
      code: 'key_paused',
      message: expect.stringContaining('"loop" is paused: It loops.'),
    })
    expect((await tollgate.call('GET', '/v1/key', { as: key.secret })).json.pauseReason).toBe('It loops.')
    expect((await tollgate.chat({ model: 'm' })).status).toBe(200)
    expect((await tollgate.call('POST', `${path}/resume`)).json).toMatchObject({
      pausedAt: null,
      pauseReason: null,
    })
    expect((await tollgate.chat({ model: 'm' }, { as: key.secret })).status).toBe(200)
  })

  test('stays paused while everything is resumed, and after a restart', async () => {
    const key = await tollgate.createKey({ name: 'loop', scope: 'full' })
    await tollgate.call('POST', `/v1/keys/${key.id}/pause`)
    await pause()
    await resume()
    await tollgate.restart()
    expect((await tollgate.chat({}, { as: key.secret })).json.error.code).toBe('key_paused')
  })

  test('does not end the requests of other keys', async () => {
    const held = holdFirst()
    const answer = tollgate.chat({ model: 'm' })
    const exchange = await held
    const key = await tollgate.createKey({ name: 'loop', scope: 'full' })
    await tollgate.call('POST', `/v1/keys/${key.id}/pause`, { body: { running: 'end' } })
    exchange.reply(200, testCompletion('Hi'))
    expect((await answer).status).toBe(200)
  })

  test('cannot be a revoked one', async () => {
    const key = await tollgate.createKey({ name: 'gone', scope: 'full' })
    await tollgate.call('DELETE', `/v1/keys/${key.id}`)
    expect((await tollgate.call('POST', `/v1/keys/${key.id}/pause`)).status).toBe(400)
  })
})
