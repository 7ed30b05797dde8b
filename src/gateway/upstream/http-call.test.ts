import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TRANSLATED } from '../formats/chat/events.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { listen } from '../testing/listen.ts'
import { sendHttpCall } from './http-adapter.ts'
import {
  CREDENTIAL,
  findFailure,
  listEvents,
  plainRequest,
  streamRequest,
  TestCalls,
} from './testing/test-calls.ts'
import { testChunk, testCompletion, testTarget } from './testing/test-upstream.ts'

const calls = forEachTest(async () => new TestCalls())

const hello = testChunk({ role: 'assistant', content: 'Hello' })

describe('what is sent', () => {
  it('goes to the format’s path with our headers only, and is not compressed', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    await calls.send(server.url, plainRequest, {
      headers: { 'X-Team': 'blue', Host: 'evil.example', 'Accept-Encoding': 'gzip' },
    })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(request?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${CREDENTIAL}`,
      connection: 'keep-alive',
      'content-length': expect.any(String),
      'content-type': 'application/json',
      host: server.url.slice('http://'.length),
      'user-agent': 'Tollgate',
      'x-team': 'blue',
    })
    expect(request?.json()).toMatchObject({ model: 'acme-large' })
  })

  it('reuses a connection immediately, also for a stream', async () => {
    const server = await calls.upstream((exchange) => {
      if (exchange.request.json().stream) exchange.begin().data(hello, testChunk({}, 'stop'), '[DONE]').end()
      else exchange.reply(200, testCompletion('Hi'))
    })
    await calls.send(server.url, plainRequest)
    await turnOfLoop()
    await calls.send(server.url, plainRequest)
    await turnOfLoop()
    await listEvents(await calls.send(server.url, streamRequest))
    expect(server.connections()).toBe(1)
  })

  it('never returns the answer to another request, once its provider has sent one too late', async () => {
    const closed = Promise.withResolvers<void>()
    // A server that answers every request twice, the second time a moment later.
    const server = createTcpServer((socket) => {
      socket.on('close', () => closed.resolve())
      socket.on('error', () => {})
      socket.on('data', (bytes) => {
        const question = /"content":"([^"]*)"/.exec(bytes.toString())?.[1] ?? ''
        const body = JSON.stringify(testCompletion(`answer to ${question}`))
        const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
        socket.write(answer)
        setTimeout(() => socket.write(answer), 20)
      })
    })
    const port = await listen(server)
    calls.onClose(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${port}`
    await calls.send(url, plainRequest)
    await closed.promise
    for (let turn = 0; turn < 10; turn += 1) {
      const asked = `question ${turn}`
      const answer = await calls.send(url, { ...plainRequest, messages: [{ role: 'user', content: asked }] })
      expect(answer).toMatchObject({
        completion: { choices: [{ message: { content: `answer to ${asked}` } }] },
      })
      await new Promise((resolve) => setTimeout(resolve, (turn * 7) % 40))
    }
  })
})

it('a credential that is not valid in a header is not sent', async () => {
  const target = testTarget('http://127.0.0.1:1')
  const { signal } = new AbortController()
  const call = {
    target,
    request: plainRequest,
    encoded: null,
    mode: TRANSLATED,
    credential: 'pasted\nwith a line',
    signal,
  }
  expect(await findFailure(sendHttpCall(call, calls.pool))).toMatchObject({ kind: 'credential' })
})

describe('a plain answer', () => {
  it('is returned with its usage', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    expect(await calls.send(server.url, plainRequest)).toMatchObject({
      kind: 'plain',
      completion: { choices: [{ message: { content: 'Hi' } }] },
      usage: { buckets: { input: 5, output: 3 } },
    })
  })

  it.each([
    ['a page', '<html>Sign in</html>', 'text/html'],
    ['cut JSON', '{"choices":[', 'application/json'],
    ['nothing', '', 'application/json'],
    ['an event stream', 'data: {}\n\n', 'text/event-stream'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'), 'application/json'],
  ])('that is %s with a 200 is malformed', async (_, body, type) => {
    const server = await calls.upstream((exchange) => exchange.reply(200, body, { 'content-type': type }))
    expect(await findFailure(calls.send(server.url, plainRequest))).toMatchObject({
      kind: 'malformed',
      status: null,
    })
  })

  it('over 64 MiB is malformed, and reading stops', async () => {
    let sent = 0
    const server = await calls.upstream(async (exchange) => {
      exchange.begin({ 'content-type': 'application/json' })
      const block = Buffer.alloc(1024 * 1024, 32)
      while (!exchange.response.destroyed && sent < 200) {
        sent += 1
        if (!exchange.response.write(block)) {
          await Promise.race([once(exchange.response, 'drain'), exchange.disconnected])
        }
      }
    })
    expect(await findFailure(calls.send(server.url, plainRequest))).toMatchObject({ kind: 'malformed' })
    expect(sent).toBeLessThan(100)
  })
})

describe('an error status', () => {
  it('is returned with code, param, message and Retry-After', async () => {
    const error = { message: 'Slow down', code: 'rate_limit', param: 'model', type: 't' }
    const server = await calls.upstream((exchange) => exchange.reply(429, { error }, { 'retry-after': '7' }))
    expect(await findFailure(calls.send(server.url, plainRequest))).toMatchObject({
      kind: 'status',
      status: 429,
      message: 'Slow down',
      code: 'rate_limit',
      param: 'model',
      retryAfterMs: 7000,
    })
  })

  it('with an HTML page does not include it in the message', async () => {
    const server = await calls.upstream((exchange) =>
      exchange.reply(502, '<html>nginx</html>', { 'content-type': 'text/html' }),
    )
    expect(await findFailure(calls.send(server.url, plainRequest))).toMatchObject({
      status: 502,
      message: expect.not.stringContaining('<'),
    })
  })

  it('reveals neither the credential nor the address', async () => {
    const server = await calls.upstream((exchange) => {
      const { authorization, host } = exchange.request.headers
      const message = `Key ${authorization} refused at http://${host}/v1 for ${CREDENTIAL}`
      exchange.reply(401, { error: { message, code: CREDENTIAL, param: CREDENTIAL } })
    })
    const failure = await findFailure(calls.send(server.url, plainRequest))
    expect(JSON.stringify([failure, failure.message])).not.toMatch(/canary|127\.0\.0\.1/)
    expect(failure.message).toContain('acme')
  })

  it('that redirects is a failure; the redirect is not followed', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(307, '', { location: '/v2/elsewhere' }))
    expect(await findFailure(calls.send(server.url, plainRequest))).toMatchObject({
      kind: 'status',
      status: 307,
    })
    expect(server.requests).toHaveLength(1)
  })
})
