// Clients of Anthropic's format at providers of the same format: requests and answers keep their bytes.
import { afterAll, describe, expect, test } from 'vitest'
import { readData } from '../testing/gateway.ts'
import type { TestHandler } from '../upstream/testing/test-upstream.ts'
import { everyBlock, everyEvent } from './testing/anthropic-events.ts'
import { startNativeProvider } from './testing/native-provider.ts'

let handler: TestHandler = (exchange) => exchange.reply(500, {})
const { gateway, upstream, close } = await startNativeProvider(
  { id: 'anthropic', path: '/v1', models: ['claude-x'], apiFormat: 'anthropic-messages' },
  (exchange) => handler(exchange),
)
afterAll(close)

/** 600 tokens at 1 USD per million, 400 from the cache at the same price, 200 at 2 USD. */
const COST = 0.0014
const HEADERS = {
  'anthropic-version': '2026-10-21',
  'anthropic-beta': 'a-1,b-2',
  'anthropic-new-in-2027': 'c',
  'x-app': 'cli',
}
const messages = [{ role: 'user', content: 'Hi' }]
const send = (body: unknown, path = '/v1/messages', as = gateway.admin) =>
  gateway.call('POST', path, { body, as: '', headers: { ...HEADERS, 'x-api-key': as } })
const ask = (more: object = {}, as?: string) =>
  send({ model: 'claude-x', max_tokens: 500, messages, ...more }, '/v1/messages', as)
const withCost = (text: string, usage: string) => text.replace(usage, `${usage},"cost":${COST}`)
const streams: TestHandler = (exchange) => exchange.begin().raw(everyEvent).end()

describe('a request', () => {
  test('has the client’s bytes, query and vendor headers, and no other header of it', async () => {
    handler = (exchange) => exchange.reply(200, everyBlock)
    const body = `{ "model" : "anthropic/claude-x","max_tokens":5e2,\n"messages":[{"role":"user","content":"Hi \\u00e9"}],"top_k":1.0,
"thinking":{"type":"adaptive"},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":12345678901234567890}],"unknown":{ } }`
    const { status } = await send(body, '/v1/messages?beta=true')
    expect(status).toBe(200)
    const sent = upstream.requests.at(-1)
    expect(sent?.body).toBe(body.replace('anthropic/claude-x', 'claude-x'))
    expect(sent?.path).toBe('/v1/messages?beta=true')
    expect(sent?.headers).toMatchObject({
      'x-api-key': 'secret-of-anthropic',
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'a-1,b-2',
      'anthropic-new-in-2027': 'c',
    })
    expect(sent?.headers).not.toHaveProperty('x-app')
    expect(sent?.headers).not.toHaveProperty('authorization')
  })

  test('that continues a thread of the provider is sent', async () => {
    handler = (exchange) => exchange.reply(200, everyBlock)
    const { status } = await ask({ thread: { type: 'continue', previous_message_id: 'msg_0' } })
    expect(status).toBe(200)
  })

  test('that names other models or hosts is rejected', async () => {
    for (const field of ['fallbacks', 'provider']) {
      const { status, json } = await ask({ [field]: [{ model: 'claude-y' }] })
      expect([status, json.error.details.param]).toEqual([400, field])
    }
  })
})

describe('an answer', () => {
  test('in one piece keeps its bytes, but for the cost in its usage', async () => {
    handler = (exchange) => exchange.reply(200, everyBlock)
    const { text, headers } = await ask()
    expect(text).toBe(withCost(everyBlock, '"output_tokens":200'))
    expect(Number(headers.get('x-service-cost-usd'))).toBe(COST)
    const record = await gateway.getRecord(headers.get('request-id'))
    expect(record).toMatchObject({ costUsd: COST, costStatus: 'exact', tokensIn: 1000, tokensOut: 200 })
  })

  test('has the limits that its vendor states in headers, also as a stream and as an error', async () => {
    const stated = {
      'anthropic-ratelimit-unified-5h-utilization': '0.42',
      'anthropic-ratelimit-requests-remaining': '7',
    }
    const more = { ...stated, 'set-cookie': 'a=b', 'x-other': 'c' }
    const handlers: [number, TestHandler][] = [
      [200, (exchange) => exchange.reply(200, everyBlock, more)],
      [
        200,
        (exchange) =>
          exchange
            .begin({ 'content-type': 'text/event-stream', ...more })
            .raw(everyEvent)
            .end(),
      ],
      [400, (exchange) => exchange.reply(400, { error: { type: 'x', message: 'no' } }, more)],
    ]
    for (const [status, answer] of handlers) {
      handler = answer
      const { status: got, headers } = await ask({ stream: true })
      expect([got, Object.fromEntries(headers)]).toMatchObject([status, stated])
      expect([headers.get('set-cookie'), headers.get('x-other')]).toEqual([null, null])
    }
  })

  test('as a stream keeps every event, but for the cost in its last usage', async () => {
    handler = streams
    const { text, headers } = await ask({ stream: true })
    const last = '"input_tokens":600,"output_tokens":200'
    expect(text).toBe(withCost(everyEvent, last))
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
    const record = await gateway.getRecord(headers.get('request-id'))
    expect(record).toMatchObject({ costUsd: COST, costStatus: 'exact', tokensIn: 1000, tokensOut: 200 })
  })

  test('as a stream without the names of its events gets them, because clients need them', async () => {
    handler = (exchange) =>
      exchange
        .begin()
        .raw(everyEvent.replaceAll(/^event: .*\n/gm, ''))
        .end()
    const { text } = await ask({ stream: true })
    expect(text.match(/^event: .*$/gm)).toEqual(everyEvent.match(/^event: .*$/gm))
  })

  test('that fails in the middle ends with an error event', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const [start = ''] = everyEvent.split('event: content_block_stop')
    handler = (exchange) =>
      exchange
        .begin()
        .raw(`${start}event: error\ndata: ${JSON.stringify(error)}\n\n`)
        .end()
    const { text } = await ask({ stream: true })
    expect(text.startsWith(start)).toBe(true)
    expect(JSON.parse(text.slice(start.length).replace(/^event: error\ndata: /, ''))).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', message: expect.stringContaining('Overloaded') },
      request_id: expect.stringMatching(/^req_/),
    })
  })

  test('is refused with 402 at the cap, and a stream is cut there', async () => {
    handler = (exchange) => exchange.reply(200, everyBlock)
    const { secret, id } = await gateway.createKey({ name: 'cap', scope: 'full', spendLimitUsd: COST })
    expect((await ask({}, secret)).status).toBe(200)
    const { status, json, headers } = await ask({}, secret)
    expect(status).toBe(402)
    expect(headers.get('x-should-retry')).toBe('false')
    expect(json.error).toMatchObject({
      type: 'billing_error',
      details: { error_code: 'spend_limit_reached' },
    })
    await gateway.call('PATCH', `/v1/keys/${id}`, { body: { spendLimitUsd: COST + 0.0005 } })
    const [start = ''] = everyEvent.split('event: content_block_stop')
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'word '.repeat(400) },
    }
    handler = async (exchange) => {
      exchange.begin().raw(start)
      for (let nth = 0; nth < 20; nth += 1) exchange.raw(`data: ${JSON.stringify(delta)}\n\n`)
      await exchange.disconnected
    }
    const cut = await ask({ stream: true, max_tokens: 100_000 }, secret)
    expect(readData(cut.text.replaceAll(/^event: .*\n/gm, '')).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'billing_error', details: { error_code: 'spend_limit_reached' } },
    })
  })
})

describe('a count of tokens', () => {
  const count = (more: object = {}) =>
    send({ model: 'claude-x', messages, ...more }, '/v1/messages/count_tokens?beta=true')

  test('is the provider’s, costs nothing and is not in the log', async () => {
    handler = (exchange) => exchange.reply(200, { input_tokens: 42 })
    const before = (await gateway.records()).length
    const { status, json } = await count()
    expect([status, json]).toEqual([200, { input_tokens: 42 }])
    const sent = upstream.requests.at(-1)
    expect(sent?.path).toBe('/v1/messages/count_tokens?beta=true')
    expect(sent?.headers).toMatchObject({ 'anthropic-beta': 'a-1,b-2', 'x-api-key': 'secret-of-anthropic' })
    expect((await gateway.records()).length).toBe(before)
  })

  test('is made here where the provider does not count', async () => {
    handler = (exchange) =>
      exchange.reply(404, { type: 'error', error: { type: 'not_found_error', message: 'x' } })
    const { status, json } = await count({ system: 'Be brief.' })
    expect([status, json.input_tokens > 3]).toEqual([200, true])
  })

  test('reports the provider’s errors', async () => {
    const error = { type: 'invalid_request_error', message: 'tools: too many' }
    handler = (exchange) => exchange.reply(400, { type: 'error', error })
    const rejected = await count()
    expect([rejected.status, rejected.json.error]).toEqual([400, error])
    handler = (exchange) => exchange.reply(200, 'no count')
    expect((await count()).status).toBe(502)
  })
})
