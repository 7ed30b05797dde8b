import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ChatRequest } from '../../shared/chat.ts'
import type { Answer, ChatEvent } from '../formats/events.ts'
import type { Target } from '../formats/target.ts'
import { mayBeBilled, UpstreamFailure } from '../formats/upstream-failure.ts'
import { UpstreamPool } from './connection-pool.ts'
import { attempt } from './http-call.ts'
import {
  startTestUpstream,
  type TestExchange,
  type TestHandler,
  type TestUpstream,
  testChunk,
  testCompletion,
  testTarget,
} from './testing/test-upstream.ts'

const CREDENTIAL = 'canary-credential-4711'
const plain: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
const streamed: ChatRequest = { ...plain, stream: true }
const never = new AbortController().signal
const [hello, world] = [testChunk({ role: 'assistant', content: 'Hello' }), testChunk({ content: ' world' })]

let pool: UpstreamPool
let closing: (() => Promise<unknown>)[]

beforeEach(() => {
  pool = new UpstreamPool()
  closing = []
})

afterEach(async () => {
  await pool.close()
  await Promise.all(closing.map((close) => close()))
})

async function upstream(handler: TestHandler): Promise<TestUpstream> {
  const started = await startTestUpstream(handler)
  closing.push(() => started.close())
  return started
}

function go(url: string, request: ChatRequest, over: Partial<Target> = {}, signal = never): Promise<Answer> {
  return attempt(testTarget(`${url}/v1`, over), request, CREDENTIAL, signal, pool)
}

async function failing(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamFailure))
    throw new Error(`expected an UpstreamFailure, got ${String(error)}`)
  return error
}

async function collect(answer: Answer): Promise<ChatEvent[]> {
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const events: ChatEvent[] = []
  for await (const event of answer.events) events.push(event)
  return events
}

function kinds(events: ChatEvent[]): string[] {
  return events.map((event) => event.type)
}

describe('what is sent', () => {
  it('goes to the format’s path with our headers only, and is not compressed', async () => {
    const server = await upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    await go(server.url, plain, {
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

  it('uses a connection again once it has rested, streams included', async () => {
    const server = await upstream((exchange) => {
      if (exchange.request.json().stream) exchange.begin().data(hello, testChunk({}, 'stop'), '[DONE]').end()
      else exchange.reply(200, testCompletion('Hi'))
    })
    const rested = () => new Promise((resolve) => setTimeout(resolve, 150))
    await go(server.url, plain)
    await rested()
    await collect(await go(server.url, streamed))
    await rested()
    await go(server.url, plain)
    expect(server.connections()).toBe(1)
  })

  it('gives no caller the second answer to another one’s request', async () => {
    // A server that answers every request twice, the second time a moment later.
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (bytes) => {
        const said = /"content":"([^"]*)"/.exec(bytes.toString())?.[1] ?? ''
        const body = JSON.stringify(testCompletion(`answer to ${said}`))
        const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
        socket.write(answer)
        setTimeout(() => socket.write(answer), 20)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (let turn = 0; turn < 30; turn += 1) {
      const asked = `question ${turn}`
      const answer = await go(url, { ...plain, messages: [{ role: 'user', content: asked }] })
      expect(answer).toMatchObject({
        completion: { choices: [{ message: { content: `answer to ${asked}` } }] },
      })
      await new Promise((resolve) => setTimeout(resolve, (turn * 7) % 40))
    }
  })
})

describe('a call without a connection', () => {
  /** Accepts connections and never shakes hands, like a firewall that lets packets disappear. */
  async function silent(): Promise<string> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      closing.push(async () => socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(async () => server.close())
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('ends at once when it is told to, and has cost nothing', async () => {
    const abort = new AbortController()
    const call = failing(go(await silent(), plain, { connectTimeoutMs: 20_000 }, abort.signal))
    const at = performance.now()
    abort.abort()
    const failure = await call
    expect(performance.now() - at).toBeLessThan(100)
    expect(failure).toMatchObject({ kind: 'aborted', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })

  it('costs nothing when it is not made in time', async () => {
    const failure = await failing(go(await silent(), plain, { connectTimeoutMs: 50 }))
    expect(failure).toMatchObject({ kind: 'timeout', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })

  it('costs nothing when it is refused', async () => {
    const failure = await failing(go('http://127.0.0.1:1', plain))
    expect(failure).toMatchObject({ kind: 'network', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })
})

describe('a connection that breaks once the request was sent', () => {
  it.each([
    ['before the answer', (exchange: TestExchange) => exchange.reset()],
    [
      'in the middle of a plain answer',
      (exchange: TestExchange) => {
        exchange.begin({ 'content-type': 'application/json' }).raw('{"choices": [')
        setTimeout(() => exchange.reset(), 20)
      },
    ],
  ])('%s may have been billed', async (_, handler) => {
    const server = await upstream(handler)
    const failure = await failing(go(server.url, plain))
    expect(failure).toMatchObject({ kind: 'network', sent: true })
    expect(mayBeBilled(failure)).toBe(true)
  })

  it('tells what the provider had counted by then', async () => {
    const server = await upstream((exchange) => {
      const message = { id: 'msg_1', model: 'm', usage: { input_tokens: 90_000, output_tokens: 1 } }
      exchange
        .begin()
        .raw(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`)
      setTimeout(() => exchange.reset(), 20)
    })
    const failure = await failing(go(server.url, streamed, { apiFormat: 'anthropic-messages' }))
    expect(failure.usage?.buckets.input).toBe(90_000)
    expect(mayBeBilled(failure)).toBe(true)
  })
})

it('a credential that no header can hold is not sent', async () => {
  const target = testTarget('http://127.0.0.1:1')
  expect(await failing(attempt(target, plain, 'pasted\nwith a line', never, pool))).toMatchObject({
    kind: 'credential',
  })
})

describe('a plain answer', () => {
  it('comes with its usage', async () => {
    const server = await upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    expect(await go(server.url, plain)).toMatchObject({
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
    const server = await upstream((exchange) => exchange.reply(200, body, { 'content-type': type }))
    expect(await failing(go(server.url, plain))).toMatchObject({ kind: 'malformed', status: null })
  })

  it('over 64 MiB is malformed and read no further', async () => {
    let sent = 0
    const server = await upstream(async (exchange) => {
      exchange.begin({ 'content-type': 'application/json' })
      const block = Buffer.alloc(1024 * 1024, 32)
      while (!exchange.response.destroyed && sent < 200) {
        sent += 1
        if (!exchange.response.write(block)) {
          await Promise.race([once(exchange.response, 'drain'), exchange.gone])
        }
      }
    })
    expect(await failing(go(server.url, plain))).toMatchObject({ kind: 'malformed' })
    expect(sent).toBeLessThan(100)
  })
})

describe('an error status', () => {
  it('gives code, param, message and Retry-After', async () => {
    const error = { message: 'Slow down', code: 'rate_limit', param: 'model', type: 't' }
    const server = await upstream((exchange) => exchange.reply(429, { error }, { 'retry-after': '7' }))
    expect(await failing(go(server.url, plain))).toMatchObject({
      kind: 'status',
      status: 429,
      message: 'Slow down',
      code: 'rate_limit',
      param: 'model',
      retryAfterMs: 7000,
    })
  })

  it('with a page has no page in its message', async () => {
    const server = await upstream((exchange) =>
      exchange.reply(502, '<html>nginx</html>', { 'content-type': 'text/html' }),
    )
    expect(await failing(go(server.url, plain))).toMatchObject({
      status: 502,
      message: expect.not.stringContaining('<'),
    })
  })

  it('tells nothing of the credential or the address', async () => {
    const server = await upstream((exchange) => {
      const { authorization, host } = exchange.request.headers
      const message = `Key ${authorization} refused at http://${host}/v1 for ${CREDENTIAL}`
      exchange.reply(401, { error: { message, code: CREDENTIAL, param: CREDENTIAL } })
    })
    const failure = await failing(go(server.url, plain))
    expect(JSON.stringify([failure, failure.message])).not.toMatch(/canary|127\.0\.0\.1/)
    expect(failure.message).toContain('acme')
  })

  it('that redirects is a failure; the redirect is not followed', async () => {
    const server = await upstream((exchange) => exchange.reply(307, '', { location: '/v2/elsewhere' }))
    expect(await failing(go(server.url, plain))).toMatchObject({ kind: 'status', status: 307 })
    expect(server.requests).toHaveLength(1)
  })
})

describe('a stream', () => {
  it('comes as it is sent', async () => {
    const server = await upstream(async (exchange) => {
      exchange.begin().data(hello)
      await exchange.gone
    })
    const abort = new AbortController()
    const answer = await go(server.url, streamed, {}, abort.signal)
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const iterator = answer.events[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: { type: 'chunk', raw: JSON.stringify(hello) } })
    await iterator.return?.()
  })

  it('that fails before its first chunk is thrown, so that it can be tried again', async () => {
    const server = await upstream((exchange) => {
      exchange
        .begin()
        .raw(': hello\n\n')
        .data({ error: { message: 'No host', code: 503 } })
        .end()
    })
    expect(await failing(go(server.url, streamed))).toMatchObject({
      kind: 'status',
      status: 503,
      message: 'No host',
    })
  })

  it('that fails later ends with the failure, redacted', async () => {
    const server = await upstream((exchange) => {
      exchange
        .begin()
        .data(hello, { error: { message: `Lost ${CREDENTIAL}` } })
        .end()
    })
    const events = await collect(await go(server.url, streamed))
    expect(events).toMatchObject([
      { type: 'chunk' },
      { type: 'failed', failure: { message: 'Lost [redacted]' } },
    ])
  })

  it.each([
    ['with [DONE] alone', '[DONE]'],
    ['with nothing', ''],
  ])('%s is malformed', async (_, data) => {
    const server = await upstream((exchange) => exchange.begin().data(data).end())
    expect(await failing(go(server.url, streamed))).toMatchObject({ kind: 'malformed' })
  })

  it('that is a page is malformed', async () => {
    const server = await upstream((exchange) =>
      exchange.reply(200, '<html></html>', { 'content-type': 'text/html' }),
    )
    expect(await failing(go(server.url, streamed))).toMatchObject({ kind: 'malformed' })
  })

  it('that comes as one JSON answer is turned into events', async () => {
    const server = await upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    const events = await collect(await go(server.url, streamed))
    expect(kinds(events)).toEqual(['chunk', 'chunk', 'usage', 'done'])
    expect(events[0]).toMatchObject({ chunk: { choices: [{ delta: { role: 'assistant', content: 'Hi' } }] } })
  })

  it('that comes as a JSON error is thrown', async () => {
    const server = await upstream((exchange) =>
      exchange.reply(200, { error: { message: 'Busy', code: 429 } }),
    )
    expect(await failing(go(server.url, streamed))).toMatchObject({ kind: 'status', status: 429 })
  })

  it('that is reset ends with a network failure', async () => {
    const server = await upstream((exchange) => {
      exchange.begin().data(hello)
      setTimeout(() => exchange.reset(), 30)
    })
    const events = await collect(await go(server.url, streamed))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network' } })
  })

  it('that ends early but cleanly is malformed', async () => {
    const server = await upstream((exchange) => exchange.begin().data(hello, world).end())
    const events = await collect(await go(server.url, streamed))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'malformed' } })
  })

  it('is over at [DONE], though the connection stays open', async () => {
    const server = await upstream((exchange) => {
      exchange.begin().data(hello, testChunk({}, 'stop'), '[DONE]')
    })
    expect(kinds(await collect(await go(server.url, streamed)))).toEqual(['chunk', 'chunk', 'done'])
  })

  it('with an event over the limit is malformed', async () => {
    const server = await upstream((exchange) => {
      exchange.begin().data(hello).raw('data: ')
      const block = 'x'.repeat(1024 * 1024)
      for (let mib = 0; mib < 18; mib += 1) exchange.raw(block)
    })
    const events = await collect(await go(server.url, streamed))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'malformed' } })
  })
})

describe('time limits', () => {
  it('nothing at all: first byte', async () => {
    const server = await upstream((exchange) => exchange.gone)
    const failure = await failing(go(server.url, plain, { firstByteTimeoutMs: 60 }))
    expect(failure).toMatchObject({ kind: 'timeout', message: 'The provider sent nothing within 60 ms.' })
  })

  it('headers and comments but no event: first byte', async () => {
    const server = await upstream(async (exchange) => {
      await exchange.begin().drip(': still thinking\n\n'.repeat(20), 5)
    })
    expect(await failing(go(server.url, streamed, { firstByteTimeoutMs: 100 }))).toMatchObject({
      kind: 'timeout',
    })
  })

  it('comments after the first event: stall', async () => {
    const server = await upstream(async (exchange) => {
      exchange.begin().data(hello)
      await exchange.drip(': still thinking\n\n'.repeat(50), 5)
    })
    const events = await collect(await go(server.url, streamed, { stallTimeoutMs: 100 }))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
    expect(server.requests).toHaveLength(1)
  })

  it('a plain body that stops: stall', async () => {
    const server = await upstream((exchange) => {
      exchange.begin({ 'content-type': 'application/json' }).raw('{"choices":')
    })
    expect(await failing(go(server.url, plain, { stallTimeoutMs: 60 }))).toMatchObject({ kind: 'timeout' })
  })

  it('events without end: total', async () => {
    const server = await upstream(async (exchange) => {
      exchange.begin()
      await exchange.drip(`data: ${JSON.stringify(hello)}\n\n`.repeat(20), 1)
    })
    const events = await collect(await go(server.url, streamed, { totalTimeoutMs: 500 }))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
  })

  it('a slow reader is not a stall of the upstream', async () => {
    const server = await upstream((exchange) => {
      exchange.begin().data(hello)
      setTimeout(() => exchange.data(testChunk({}, 'stop'), '[DONE]').end(), 150)
    })
    const answer = await go(server.url, streamed, { stallTimeoutMs: 60 })
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const seen: ChatEvent[] = []
    for await (const event of answer.events) {
      seen.push(event)
      if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 130))
    }
    expect(kinds(seen)).toEqual(['chunk', 'chunk', 'done'])
  })

  it('no handshake: connect', async () => {
    const server = createTcpServer((socket) => socket.resume())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const failure = await failing(go(`https://127.0.0.1:${port}`, plain, { connectTimeoutMs: 50 }))
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connection') })
    server.close()
    await once(server, 'close')
  })
})

describe('an abort', () => {
  it.each([
    ['before the headers', (): void => {}, plain],
    [
      'in a stream',
      (exchange: Parameters<TestHandler>[0]): void => void exchange.begin().data(hello),
      streamed,
    ],
  ])('%s closes the socket within 100 ms', async (_, begin, request) => {
    const abort = new AbortController()
    let goneAt = 0
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const server = await upstream(async (exchange) => {
      begin(exchange)
      arrived()
      await exchange.gone
      goneAt = performance.now()
      arrived()
    })
    const call = go(server.url, request, {}, abort.signal)
    await arrival
    const closed = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const settled = request.stream ? call.then(collect) : failing(call)
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

  it('that came before the call makes none', async () => {
    const server = await upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    expect(await failing(go(server.url, plain, {}, AbortSignal.abort()))).toMatchObject({ kind: 'aborted' })
    expect(server.requests).toHaveLength(0)
  })

  it('is what leaving a stream early does', async () => {
    let gone: Promise<void> = Promise.resolve()
    const server = await upstream((exchange) => {
      gone = exchange.gone
      exchange.begin().data(hello)
    })
    const answer = await go(server.url, streamed)
    if (answer.kind !== 'stream') throw new Error('not a stream')
    for await (const event of answer.events) if (event.type === 'chunk') break
    await gone
  })
})

describe('a connection that cannot be made', () => {
  it('is a network failure without addresses', async () => {
    const server = createTcpServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const failure = await failing(go(`http://127.0.0.1:${port}`, plain))
    expect(failure).toMatchObject({ kind: 'network', message: 'The provider refused the connection.' })
  })

  it('to something that is not HTTP is malformed', async () => {
    const server = createTcpServer((socket) => socket.resume().end('SSH-2.0-OpenSSH\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await failing(go(`http://127.0.0.1:${port}`, plain))).toMatchObject({ kind: 'malformed' })
    server.close()
    await once(server, 'close')
  })

  it('to a certificate that nobody vouches for is refused, whatever the environment says', async () => {
    // Made for this test, self-signed, for localhost only.
    const file = (name: string) =>
      readFileSync(new URL(`./fixtures/self-signed-${name}.pem`, import.meta.url))
    const server = createServer({ key: file('key'), cert: file('cert') }, (_, response) => {
      response.end(JSON.stringify(testCompletion('Hi')))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const warnings = vi.spyOn(process, 'emitWarning').mockReturnValue()
    try {
      const failure = await failing(go(`https://localhost:${port}`, plain))
      expect(failure).toMatchObject({ kind: 'network', message: expect.stringContaining('TLS') })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      warnings.mockRestore()
      server.close()
    }
  })
})
