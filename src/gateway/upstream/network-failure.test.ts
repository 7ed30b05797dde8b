import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { mayBeBilled } from '../formats/chat/failure.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { freePort, listen } from '../testing/listen.ts'
import { findFailure, plainRequest, streamRequest, TestCalls } from './testing/test-calls.ts'
import { type TestExchange, testCompletion } from './testing/test-upstream.ts'
import { readRetryAfter } from './upstream-response.ts'

const calls = forEachTest(async () => new TestCalls())

describe('a call without a connection', () => {
  /** Accepts TCP connections but never completes a TLS handshake, like a firewall that drops packets. */
  async function startSilentServer(): Promise<string> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      calls.onClose(async () => socket.destroy())
    })
    const port = await listen(server)
    calls.onClose(async () => server.close())
    return `https://127.0.0.1:${port}`
  }

  it('ends immediately when aborted, and costs nothing', async () => {
    const abort = new AbortController()
    const call = findFailure(
      calls.send(await startSilentServer(), plainRequest, { connectTimeoutMs: 20_000 }, abort.signal),
    )
    abort.abort()
    const failure = await call
    expect(failure).toMatchObject({ kind: 'aborted', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })

  it('costs nothing when connecting times out', async () => {
    const failure = await findFailure(
      calls.send(await startSilentServer(), plainRequest, { connectTimeoutMs: 50 }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })

  it('costs nothing when the connection is refused', async () => {
    const failure = await findFailure(calls.send('http://127.0.0.1:1', plainRequest))
    expect(failure).toMatchObject({ kind: 'network', sent: false })
    expect(mayBeBilled(failure)).toBe(false)
  })
})

describe('a connection that closes after the request was sent', () => {
  it.each([
    ['before the answer', (exchange: TestExchange) => exchange.reset()],
    [
      'in the middle of a plain answer',
      (exchange: TestExchange) => {
        exchange.begin({ 'content-type': 'application/json' }).raw('{"choices": [')
        exchange.cut()
      },
    ],
  ])('%s may have been billed', async (_, handler) => {
    const server = await calls.upstream(handler)
    const failure = await findFailure(calls.send(server.url, plainRequest))
    expect(failure).toMatchObject({ kind: 'network', sent: true })
    expect(mayBeBilled(failure)).toBe(true)
  })

  it('reports the usage counted by the provider so far', async () => {
    const server = await calls.upstream((exchange) => {
      const message = { id: 'msg_1', model: 'm', usage: { input_tokens: 90_000, output_tokens: 1 } }
      exchange
        .begin()
        .raw(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`)
      exchange.cut()
    })
    const failure = await findFailure(
      calls.send(server.url, streamRequest, { apiFormat: 'anthropic-messages' }),
    )
    expect(failure.usage?.buckets.input).toBe(90_000)
    expect(mayBeBilled(failure)).toBe(true)
  })
})

describe('a connection that cannot be made', () => {
  it('is a network failure without addresses', async () => {
    const failure = await findFailure(calls.send(`http://127.0.0.1:${await freePort()}`, plainRequest))
    expect(failure).toMatchObject({ kind: 'network', message: 'The provider refused the connection.' })
  })

  it('to something that is not HTTP is malformed', async () => {
    const server = createTcpServer((socket) => socket.resume().end('SSH-2.0-OpenSSH\r\n\r\n'))
    const port = await listen(server)
    expect(await findFailure(calls.send(`http://127.0.0.1:${port}`, plainRequest))).toMatchObject({
      kind: 'malformed',
    })
    server.close()
    await once(server, 'close')
  })

  it('to a self-signed certificate is rejected, regardless of the environment', async () => {
    // Created for this test, for localhost only.
    const file = (name: string) =>
      readFileSync(new URL(`./fixtures/self-signed-${name}.pem`, import.meta.url))
    const server = createServer({ key: file('key'), cert: file('cert') }, (_, response) => {
      response.end(JSON.stringify(testCompletion('Hi')))
    })
    const port = await listen(server)
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const warnings = vi.spyOn(process, 'emitWarning').mockReturnValue()
    try {
      const failure = await findFailure(calls.send(`https://localhost:${port}`, plainRequest))
      expect(failure).toMatchObject({ kind: 'network', message: expect.stringContaining('TLS') })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      warnings.mockRestore()
      server.close()
    }
  })
})

describe('readRetryAfter', () => {
  const now = Date.parse('2026-11-01T12:00:00Z')
  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Sun, 01 Nov 2026 12:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{}, null],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfter(headers, now)).toBe(expected)
  })
})
