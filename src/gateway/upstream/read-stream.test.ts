import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { TRANSLATED } from '../formats/chat/events.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { UpstreamPool } from './connection-pool.ts'
import { sendHttpCall } from './http-adapter.ts'
import {
  CREDENTIAL,
  findFailure,
  listEvents,
  listTypes,
  streamRequest,
  TestCalls,
} from './testing/test-calls.ts'
import {
  startTestUpstream,
  type TestExchange,
  type TestUpstream,
  testChunk,
  testCompletion,
  testTarget,
} from './testing/test-upstream.ts'

const calls = forEachTest(async () => new TestCalls())

const [hello, world] = [testChunk({ role: 'assistant', content: 'Hello' }), testChunk({ content: ' world' })]

describe('a stream', () => {
  it('is passed on as it is sent', async () => {
    const server = await calls.upstream(async (exchange) => {
      exchange.begin().data(hello)
      await exchange.disconnected
    })
    const abort = new AbortController()
    const answer = await calls.send(server.url, streamRequest, {}, abort.signal)
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const iterator = answer.events[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: [{ type: 'chunk', raw: JSON.stringify(hello) }] })
    await iterator.return?.()
  })

  it('that fails before its first chunk is thrown, so that it can be retried', async () => {
    const server = await calls.upstream((exchange) => {
      exchange
        .begin()
        .raw(': hello\n\n')
        .data({ error: { message: 'No host', code: 503 } })
        .end()
    })
    expect(await findFailure(calls.send(server.url, streamRequest))).toMatchObject({
      kind: 'status',
      status: 503,
      message: 'No host',
    })
  })

  it('that fails later ends with the failure, redacted', async () => {
    const server = await calls.upstream((exchange) => {
      exchange
        .begin()
        .data(hello, { error: { message: `Lost ${CREDENTIAL}` } })
        .end()
    })
    const events = await listEvents(await calls.send(server.url, streamRequest))
    expect(events).toMatchObject([
      { type: 'chunk' },
      { type: 'failed', failure: { message: 'Lost [redacted]' } },
    ])
  })

  it.each([
    ['with [DONE] alone', '[DONE]'],
    ['with nothing', ''],
  ])('%s is malformed', async (_, data) => {
    const server = await calls.upstream((exchange) => exchange.begin().data(data).end())
    expect(await findFailure(calls.send(server.url, streamRequest))).toMatchObject({ kind: 'malformed' })
  })

  it('that is an HTML page is malformed', async () => {
    const server = await calls.upstream((exchange) =>
      exchange.reply(200, '<html></html>', { 'content-type': 'text/html' }),
    )
    expect(await findFailure(calls.send(server.url, streamRequest))).toMatchObject({ kind: 'malformed' })
  })

  it('that arrives as one JSON answer is converted to events', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    const events = await listEvents(await calls.send(server.url, streamRequest))
    expect(listTypes(events)).toEqual(['chunk', 'chunk', 'usage', 'done'])
    expect(events[0]).toMatchObject({ chunk: { choices: [{ delta: { role: 'assistant', content: 'Hi' } }] } })
  })

  it('that arrives as a JSON error is thrown', async () => {
    const server = await calls.upstream((exchange) =>
      exchange.reply(200, { error: { message: 'Busy', code: 429 } }),
    )
    expect(await findFailure(calls.send(server.url, streamRequest))).toMatchObject({
      kind: 'status',
      status: 429,
    })
  })

  it('that is reset ends with a network failure', async () => {
    const server = await calls.upstream((exchange) => {
      exchange.begin().data(hello)
      exchange.cut()
    })
    const events = await listEvents(await calls.send(server.url, streamRequest))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network' } })
  })

  it.each<[string, string, (exchange: TestExchange) => unknown]>([
    ['ends early but cleanly', 'malformed', () => undefined],
    ['has a chunk that is not JSON', 'malformed', (exchange) => exchange.data('{nonsense')],
    [
      'has an event named error',
      'status',
      (exchange) => exchange.raw('event: error\ndata: {"message":"no"}\n\n'),
    ],
  ])('that %s is a failure: %s', async (_, kind, send) => {
    const server = await calls.upstream((exchange) => {
      send(exchange.begin().data(hello, world))
      exchange.end()
    })
    const events = await listEvents(await calls.send(server.url, streamRequest))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind } })
  })

  it('is over at [DONE], though the connection stays open', async () => {
    const server = await calls.upstream((exchange) => {
      exchange.begin().data(hello, testChunk({}, 'stop'), '[DONE]')
    })
    expect(listTypes(await listEvents(await calls.send(server.url, streamRequest)))).toEqual([
      'chunk',
      'chunk',
      'done',
    ])
  })

  it('with an event over the limit is malformed', async () => {
    const server = await calls.upstream((exchange) => {
      exchange.begin().data(hello).raw('data: ')
      const block = 'x'.repeat(1024 * 1024)
      for (let mib = 0; mib < 18; mib += 1) exchange.raw(block)
    })
    const events = await listEvents(await calls.send(server.url, streamRequest))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'malformed' } })
  })
})

const request: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
const never = new AbortController().signal
const nest = (value: object) =>
  JSON.stringify(value).replace(/}$/, `,"deep":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)

let pool: UpstreamPool
let server: TestUpstream

beforeEach(async () => {
  pool = new UpstreamPool()
  server = await startTestUpstream((exchange) => {
    if (exchange.request.json().stream)
      exchange
        .begin()
        .data(testChunk({ content: 'a' }), nest(testChunk({ content: 'b' })), '[DONE]')
        .end()
    else exchange.reply(200, nest(testCompletion('Hi')))
  })
})

afterEach(async () => {
  await pool.close()
  await server.close()
})

const send = (over: Partial<ChatRequest> = {}) =>
  sendHttpCall(
    {
      target: testTarget(server.url),
      request: { ...request, ...over },
      encoded: null,
      mode: TRANSLATED,
      credential: 'k',
      signal: never,
    },
    pool,
  )

it('a plain answer nested 100,000 levels deep is malformed', async () => {
  await expect(send()).rejects.toMatchObject({ kind: 'malformed' })
})

it('a stream that nests 100,000 levels deep fails with what came before', async () => {
  const answer = await send({ stream: true })
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const types: string[] = []
  for await (const batch of answer.events)
    types.push(...batch.map((event) => (event.type === 'failed' ? event.failure.kind : event.type)))
  expect(types).toEqual(['chunk', 'malformed'])
})
