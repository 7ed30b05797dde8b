import { rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { startTestUpstream, testChunk } from '../upstream/testing/test-upstream.ts'
import { createOwnerTransport } from './owner-transport.ts'
import { HttpClientStream } from './send-response.ts'

async function post({ gateway }: TestGateway, path: string, body: object, key: string) {
  const response = await gateway.fetchAsOwner(
    new Request(`app://tollgate${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    }),
  )
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    json: await response.json(),
  }
}

test('an Idempotency-Key of the window is separate from one of an API key', async () => {
  const tollgate = await startTestGateway()
  const body = { name: 'Made once', scope: 'full' }
  const first = await post(tollgate, '/v1/keys', body, 'k')
  expect([first.status, first.replayed]).toEqual([201, null])
  const second = await post(tollgate, '/v1/keys', body, 'k')
  expect(second).toEqual({ status: 201, replayed: 'true', json: first.json })
  const other = await tollgate.call('POST', '/v1/keys', { body, headers: { 'idempotency-key': 'k' } })
  expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null])

  const chat = { model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }
  const answer = await post(tollgate, '/v1/chat/completions', chat, 'k')
  expect(await post(tollgate, '/v1/chat/completions', chat, 'k')).toEqual({ ...answer, replayed: 'true' })
  await tollgate.close()
})

test('after a restart the stored responses of the window cannot be decrypted: a replay reports an unknown outcome', async () => {
  const first = await startTestGateway()
  const body = { name: 'Made once', scope: 'full' }
  await post(first, '/v1/keys', body, 'k')
  // The secret that seals the window's answers belongs to the process; another process has another.
  await first.gateway.close()
  vi.resetModules()
  const { startTestGateway: startAnew } = await import('../testing/gateway.ts')
  const second = await startAnew({ dataDir: first.dataDir, admin: first.admin })
  const replay = await post(second, '/v1/keys', body, 'k')
  expect([replay.status, replay.json]).toMatchObject([502, { error: { code: 'outcome_unknown' } }])
  await second.close()
  rmSync(first.dataDir, { recursive: true, force: true })
})

test('a long query is searched for secrets in one pass', async () => {
  const tollgate = await startTestGateway()
  // A scan that restarts at each "&" would take minutes.
  const url = `app://tollgate/v1/models?${'&'.repeat(1_000_000)}`
  expect((await tollgate.gateway.fetchAsOwner(new Request(url))).status).toBe(200)
  const secret = await tollgate.gateway.fetchAsOwner(new Request(`${url}key=tg-x`))
  expect(secret.status).toBe(400)
  await tollgate.close()
})

test.each([
  ['cancels the body', (body: ReadableStream) => body.cancel()],
  ['aborts the request', (_body: ReadableStream, abort: () => void) => abort()],
])('a stream ends when the window %s', async (_what, leave) => {
  const disconnected = Promise.withResolvers<void>()
  const upstream = await startTestUpstream((context) => {
    void context.disconnected.then(disconnected.resolve)
    context.begin().data(testChunk({ content: 'one' }))
  })
  const tollgate = await startTestGateway()
  await tollgate.addProvider('acme', upstream.url, ['endless'])
  const controller = new AbortController()
  const messages = [{ role: 'user', content: 'Hi' }]
  const response = await tollgate.gateway.fetchAsOwner(
    new Request('app://tollgate/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'endless', stream: true, messages }),
      signal: controller.signal,
    }),
  )
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  if (!response.body) throw new Error('there is no body')
  await leave(response.body, () => controller.abort())
  await disconnected.promise
  await tollgate.close()
  await upstream.close()
})

test.each([
  ['destroyed', (response: ServerResponse) => response.destroy()],
  [
    'closed in the middle',
    (response: ServerResponse) => new HttpClientStream({ response, headers: {} }, systemClock).abort(),
  ],
])('a response that is %s is an error for the window', async (_what, end) => {
  const fetchAsOwner = createOwnerTransport((_request, response) => {
    response.write('the beginning')
    end(response)
  })
  const answer = fetchAsOwner(new Request('app://tollgate/x')).then((response) => response.text())
  await expect(answer).rejects.toThrow()
})

test('a large response is complete', async () => {
  const fetchAsOwner = createOwnerTransport((_request, response) => response.end(Buffer.alloc(5_000_000)))
  const response = await fetchAsOwner(new Request('app://tollgate/x'))
  expect((await response.arrayBuffer()).byteLength).toBe(5_000_000)
})

test('events that come within one frame wake the window once', async () => {
  const { promise: isDone, resolve: finish } = Promise.withResolvers<void>()
  const fetchAsOwner = createOwnerTransport(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (let event = 0; event < 100; event++) {
      response.write(`data: ${event}\n\n`)
      await new Promise(setImmediate)
    }
    response.end()
    finish()
  })
  const { body } = await fetchAsOwner(new Request('app://tollgate/v1/events'))
  const chunks: string[] = []
  await isDone
  for await (const chunk of body ?? []) chunks.push(Buffer.from(chunk).toString())
  expect(chunks.join('')).toBe(Array.from({ length: 100 }, (_, event) => `data: ${event}\n\n`).join(''))
  expect(chunks.length).toBeLessThan(10)
})
