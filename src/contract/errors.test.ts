import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const { host, port } = new URL(tollgate.baseUrl)

function expectEnvelope(answer: Answer, status: number, type: string): void {
  expect([answer.status, answer.json?.error?.type]).toEqual([status, type])
  expect(ErrorEnvelope.strict().safeParse(answer.json).success).toBe(true)
  expect(answer.json.error.message.length).toBeGreaterThan(10)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('x-service-request-id')).toMatch(/^req_/)
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  tollgate.call('POST', '/v1/chat/completions', { body, headers })

rule('Errors', '400 invalid_request_error: malformed body, missing field, invalid parameter', async () => {
  for (const body of ['{', '', '[]', 'null', '{"model":"sandbox-small"}', { messages: [] }]) {
    expectEnvelope(await post(body, { 'content-type': 'application/json' }), 400, 'invalid_request_error')
  }
})

rule('Errors', '401 authentication_error', async () => {
  expectEnvelope(await tollgate.call('GET', '/v1/key', { as: '' }), 401, 'authentication_error')
})

rule('Errors', '402 insufficient_quota: the key is at its cap', async () => {
  const { secret } = await tollgate.createKey({ name: 'broke', scope: 'full', spendLimitUsd: 0 })
  expectEnvelope(await tollgate.chat({}, { as: secret }), 402, 'insufficient_quota')
})

rule('Errors', '403 permission_error', async () => {
  const { secret } = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
  expectEnvelope(await tollgate.chat({}, { as: secret }), 403, 'permission_error')
})

rule('Errors', '404 not_found_error: unknown model or endpoint', async () => {
  expectEnvelope(await tollgate.chat({ model: 'no-such-model' }), 404, 'not_found_error')
  for (const path of ['/v1/nothing', '/v2/models', '/v1', '/v1/keys/', '/V1/models']) {
    expectEnvelope(await tollgate.call('GET', path), 404, 'not_found_error')
  }
})

rule('Errors', '408 upstream_error: the upstream timed out, after two retries', async () => {
  await tollgate.call('PUT', '/v1/providers/slow', {
    body: { apiFormat: 'openai-chat', baseUrl: upstream.url, firstByteTimeoutMs: 20 },
  })
  await upstream.model('asleep', () => undefined, { provider: 'slow' })
  expectEnvelope(await tollgate.chat({ model: 'asleep' }), 408, 'upstream_error')
  expect(upstream.calls('asleep')).toHaveLength(3)
})

rule('Errors', '429 rate_limit_exceeded with Retry-After in seconds', async () => {
  const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
  await tollgate.chat({}, { as: secret })
  const answer = await tollgate.chat({}, { as: secret })
  expectEnvelope(answer, 429, 'rate_limit_exceeded')
  expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
})

for (const status of [502, 503, 504]) {
  rule('Errors', `${status} upstream_error after the service’s retries`, async () => {
    await upstream.model(`fails-${status}`, fails(status))
    expectEnvelope(await tollgate.chat({ model: `fails-${status}` }), status, 'upstream_error')
    expect(upstream.calls(`fails-${status}`)).toHaveLength(3)
  })
}

rule(
  'Errors',
  'Every error response has X-Service-Request-Id, and x-request-id with the same value',
  async () => {
    const answers = [
      await post('{'),
      await tollgate.call('GET', '/nothing', { as: '' }),
      await tollgate.chat({ model: 'x' }),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-service-request-id'))
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
  },
)

rule('Errors', 'Every successful response has X-Service-Request-Id and x-request-id too', async () => {
  for (const answer of [
    await tollgate.chat({}),
    await tollgate.call('GET', '/healthz'),
    await tollgate.chat({ stream: true }),
  ]) {
    expect(answer.headers.get('x-service-request-id')).toMatch(/^req_/)
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('x-service-request-id'))
  }
})

rule('Errors', '405 with Allow, as invalid_request_error', async () => {
  for (const [method, path, allow] of [
    ['GET', '/v1/chat/completions', ['POST']],
    ['DELETE', '/v1/keys', ['GET', 'POST']],
    ['POST', '/v1/keys/key_x', ['DELETE', 'GET', 'PATCH']],
    ['POST', '/v1/models/a/b', ['DELETE', 'GET', 'PUT']],
    ['PUT', '/healthz', ['GET']],
    ['POST', '/openapi.json', ['GET']],
    ['OPTIONS', '/v1/keys', ['GET', 'POST']],
  ] as const) {
    const answer = await tollgate.call(method, path)
    expectEnvelope(answer, 405, 'invalid_request_error')
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allow)
  }
})

rule('Errors', '415 for a body that is not application/json', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ]) {
    expectEnvelope(await post('{"model":"x"}', { 'content-type': type }), 415, 'invalid_request_error')
  }
  const charset = await post(
    { model: 'sandbox-small', messages: [{ role: 'user', content: 'x' }] },
    {
      'content-type': 'application/json; charset=utf-8',
    },
  )
  expect(charset.status).toBe(200)
})

rule('Errors', '413 for a body above 32 MB', async () => {
  const body = `{"model":"sandbox-small","messages":"${'x'.repeat(32 * 1024 * 1024)}"}`
  expectEnvelope(await post(body), 413, 'invalid_request_error')
})

rule('Errors', '413 also without a Content-Length', async () => {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  const answer = text(socket)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tollgate.admin}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
  )
  const mega = 'x'.repeat(1024 * 1024)
  for (let sent = 0; sent < 34 && !socket.destroyed; sent++) socket.write(`100000\r\n${mega}\r\n`)
  socket.write('0\r\n\r\n')
  expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*x-service-request-id[\s\S]*"invalid_request_error"/i)
})

rule('Errors', '431 with the envelope for headers that are too large', async () => {
  const answer = await sendRaw(tollgate.baseUrl, [
    'GET /healthz HTTP/1.1',
    `Host: ${host}`,
    `X-Long: ${'x'.repeat(20_000)}`,
  ])
  expect([answer.status, JSON.parse(answer.body).error.type]).toEqual([431, 'invalid_request_error'])
  expect(answer.head).toContain('x-service-request-id: req_')
})

rule(
  'Errors',
  'A path that cannot be decoded, or has an id that is too long, is 404 with the envelope',
  async () => {
    for (const path of ['/v1/keys/%zz', `/v1/keys/${'k'.repeat(3000)}`, '/%']) {
      expectEnvelope(await tollgate.call('GET', path), 404, 'not_found_error')
    }
  },
)

rule('Errors', 'Invalid HTTP gets the envelope and a request id', async () => {
  const answer = await sendRaw(tollgate.baseUrl, ['NONSENSE'])
  expect([answer.status, JSON.parse(answer.body).error.type]).toEqual([400, 'invalid_request_error'])
  expect(answer.head).toContain('x-service-request-id: req_')
})

rule('Errors', 'An unsupported Expect header gets the envelope and a request id', async () => {
  const answer = await sendRaw(tollgate.baseUrl, [
    'GET /healthz HTTP/1.1',
    `Host: ${host}`,
    'Expect: the-impossible',
  ])
  expect(answer.status).toBe(417)
  expect(answer.body).toContain('{"error":{"type":"invalid_request_error"')
  expect(answer.head).toContain('x-service-request-id: req_')
})
