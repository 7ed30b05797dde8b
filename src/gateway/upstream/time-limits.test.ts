import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ChatEvent } from '../formats/chat/events.ts'
import { forEachTest } from '../testing/lifetime.ts'
import {
  findFailure,
  listEvents,
  listTypes,
  plainRequest,
  streamRequest,
  TestCalls,
} from './testing/test-calls.ts'
import { type TestHandler, testChunk, testCompletion } from './testing/test-upstream.ts'

const calls = forEachTest(async () => new TestCalls())

const hello = testChunk({ role: 'assistant', content: 'Hello' })

describe('time limits', () => {
  it('no response: first byte', async () => {
    const server = await calls.upstream((exchange) => exchange.disconnected)
    const failure = await findFailure(calls.send(server.url, plainRequest, { firstByteTimeoutMs: 60 }))
    expect(failure).toMatchObject({ kind: 'timeout', message: 'The provider sent nothing within 60 ms.' })
  })

  it('headers and comments but no event: first byte', async () => {
    const server = await calls.upstream(async (exchange) => {
      await exchange.begin().drip(': still thinking\n\n'.repeat(20), 5)
    })
    expect(
      await findFailure(calls.send(server.url, streamRequest, { firstByteTimeoutMs: 100 })),
    ).toMatchObject({
      kind: 'timeout',
    })
  })

  it('comments after the first event: stall', async () => {
    const server = await calls.upstream(async (exchange) => {
      exchange.begin().data(hello)
      await exchange.drip(': still thinking\n\n'.repeat(50), 5)
    })
    const events = await listEvents(await calls.send(server.url, streamRequest, { stallTimeoutMs: 100 }))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
    expect(server.requests).toHaveLength(1)
  })

  it('a plain body that stops: stall', async () => {
    const server = await calls.upstream((exchange) => {
      exchange.begin({ 'content-type': 'application/json' }).raw('{"choices":')
    })
    expect(await findFailure(calls.send(server.url, plainRequest, { stallTimeoutMs: 60 }))).toMatchObject({
      kind: 'timeout',
    })
  })

  it('events without end: total', async () => {
    const server = await calls.upstream(async (exchange) => {
      exchange.begin()
      await exchange.drip(`data: ${JSON.stringify(hello)}\n\n`.repeat(20), 1)
    })
    const events = await listEvents(await calls.send(server.url, streamRequest, { totalTimeoutMs: 1_500 }))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
  })

  it('a slow reader is not a stall of the upstream', async () => {
    const server = await calls.upstream((exchange) => {
      exchange.begin().data(hello)
      setTimeout(() => exchange.data(testChunk({}, 'stop'), '[DONE]').end(), 150)
    })
    const answer = await calls.send(server.url, streamRequest, { stallTimeoutMs: 60 })
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const seen: ChatEvent[] = []
    for await (const batch of answer.events) {
      seen.push(...batch)
      if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 130))
    }
    expect(listTypes(seen)).toEqual(['chunk', 'chunk', 'done'])
  })

  it('no handshake: connect', async () => {
    const server = createTcpServer((socket) => socket.resume())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const failure = await findFailure(
      calls.send(`https://127.0.0.1:${port}`, plainRequest, { connectTimeoutMs: 50 }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connection') })
    server.close()
    await once(server, 'close')
  })
})

describe('an abort', () => {
  it.each([
    ['before the headers', (): void => {}, plainRequest],
    [
      'in a stream',
      (exchange: Parameters<TestHandler>[0]): void => void exchange.begin().data(hello),
      streamRequest,
    ],
  ])('%s closes the socket within 100 ms', async (_, begin, request) => {
    const abort = new AbortController()
    let goneAt = 0
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const server = await calls.upstream(async (exchange) => {
      begin(exchange)
      arrived()
      await exchange.disconnected
      goneAt = performance.now()
      arrived()
    })
    const call = calls.send(server.url, request, {}, abort.signal)
    await arrival
    const closed = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const settled = request.stream ? call.then(listEvents) : findFailure(call)
    if (request.stream) await call
    const abortedAt = performance.now()
    abort.abort()
    const outcome = await settled
    await closed
    expect(goneAt - abortedAt).toBeLessThan(100)
    expect(Array.isArray(outcome) ? outcome.at(-1) : { type: 'failed', failure: outcome }).toMatchObject({
      type: 'failed',
      failure: { kind: 'aborted' },
    })
  })

  it('before the call prevents it', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    expect(await findFailure(calls.send(server.url, plainRequest, {}, AbortSignal.abort()))).toMatchObject({
      kind: 'aborted',
    })
    expect(server.requests).toHaveLength(0)
  })

  it('follows when the reader abandons a stream', async () => {
    let gone: Promise<void> = Promise.resolve()
    const server = await calls.upstream((exchange) => {
      gone = exchange.disconnected
      exchange.begin().data(hello)
    })
    const answer = await calls.send(server.url, streamRequest)
    if (answer.kind !== 'stream') throw new Error('not a stream')
    for await (const [event] of answer.events) if (event?.type === 'chunk') break
    await gone
  })
})
