import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { sendRaw } from './testing/socket.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Errors')

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

test('400 invalid_request_error: malformed body, missing field, invalid parameter', async () => {
  for (const body of ['{', '', '[]', 'null', '{"model":"sandbox-small"}', { messages: [] }]) {
    expectEnvelope(await post(body, { 'content-type': 'application/json' }), 400, 'invalid_request_error')
  }
})

const refusals: Record<string, () => Promise<Answer>> = {
  '401 authentication_error': () => tollgate.call('GET', '/v1/key', { as: '' }),
  '402 insufficient_quota: the key is at its cap': async () => {
    const { secret } = await tollgate.createKey({ name: 'broke', scope: 'full', spendLimitUsd: 0 })
    return tollgate.chat({}, { as: secret })
  },
  '403 permission_error': async () => {
    const { secret } = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
    return tollgate.chat({}, { as: secret })
  },
  '404 not_found_error: unknown model or endpoint': () => tollgate.chat({ model: 'no-such-model' }),
  '405 invalid_request_error, with Allow': () => tollgate.call('DELETE', '/v1/keys'),
  '429 rate_limit_exceeded with Retry-After in seconds': async () => {
    const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
    await tollgate.chat({}, { as: secret })
    return tollgate.chat({}, { as: secret })
  },
}
for (const [text, refuse] of Object.entries(refusals))
  test(text, async () => {
    const answer = await refuse()
    const [status = '', type = ''] = text.split(/[ :,]+/)
    expectEnvelope(answer, Number(status), type)
    if (status === '405') expect(answer.headers.get('allow')).toBe('GET, POST')
    if (status === '429') expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
  })

test('Every error response has X-Service-Request-Id, and x-request-id with the same value', async () => {
  const answers = [
    await post('{'),
    await tollgate.call('GET', '/nothing', { as: '' }),
    await tollgate.chat({ model: 'x' }),
  ]
  const ids = answers.map(({ headers }) => headers.get('x-service-request-id'))
  expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids)
  expect(new Set(ids).size).toBe(3)
})

test('Every successful response has X-Service-Request-Id and x-request-id too', async () => {
  for (const answer of [
    await tollgate.chat({}),
    await tollgate.call('GET', '/healthz'),
    await tollgate.chat({ stream: true }),
  ]) {
    expect(answer.headers.get('x-service-request-id')).toMatch(/^req_/)
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('x-service-request-id'))
  }
})

test('415 for a body that is not application/json', async () => {
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

test('413 for a body above 32 MB', async () => {
  const body = `{"model":"sandbox-small","messages":"${'x'.repeat(32 * 1024 * 1024)}"}`
  expectEnvelope(await post(body), 413, 'invalid_request_error')
})

test('413 also without a Content-Length', async () => {
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

for (const [text, status, lines] of [
  ['431 with the envelope for headers that are too large', 431, [`X-Long: ${'x'.repeat(20_000)}`]],
  ['Invalid HTTP gets the envelope and a request id', 400, null],
  ['An unsupported Expect header gets the envelope and a request id', 417, ['Expect: the-impossible']],
] as const)
  test(text, async () => {
    const head = lines ? ['GET /healthz HTTP/1.1', `Host: ${host}`, ...lines] : ['NONSENSE']
    const answer = await sendRaw(tollgate.baseUrl, head)
    expect([answer.status, JSON.parse(answer.body).error.type]).toEqual([status, 'invalid_request_error'])
    expect(answer.head).toContain('x-service-request-id: req_')
  })

test('Errors under /v1/messages have Anthropic’s envelope, and name the path or the model', async () => {
  const missing = async (path: string, body: object) => {
    const { status, json, headers } = await tollgate.call('POST', path, { body })
    expect([path, status]).toEqual([path, 404])
    expect(json).toEqual({
      type: 'error',
      error: {
        type: 'not_found_error',
        message: expect.any(String),
        details: expect.objectContaining({ error_code: expect.any(String) }),
      },
      request_id: headers.get('x-service-request-id'),
    })
    return json.error.message
  }
  const messages = [{ role: 'user', content: 'Hello' }]
  for (const path of ['/v1/messages', '/v1/messages?beta=true', '/v1/messages/count_tokens'])
    expect(await missing(path, { model: 'none-1', max_tokens: 5, messages })).toContain('"none-1"')
  expect(await missing('/v1/messages/drafts', {})).toContain('Send each message')
  const wrongMethod = await tollgate.call('GET', '/v1/messages')
  expect([wrongMethod.status, wrongMethod.json.type]).toEqual([405, 'error'])
})

test('An unknown path is 404, whatever its body', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json']) {
    const answer = await tollgate.call('POST', '/v1/audio/voices', {
      body: 'not JSON',
      headers: { 'content-type': type },
    })
    expect([type, answer.status]).toEqual([type, 404])
  }
  const large = await tollgate.call('POST', '/v1/threads', { body: 'x'.repeat(20_000_000) })
  expect(large.status).toBe(404)
})

test('A WebSocket at any other path than /v1/responses is 426 and the connection is closed; it is not in the log of requests', async () => {
  const { host, port } = new URL(tollgate.baseUrl)
  const { id, secret } = await tollgate.createKey({ name: 'codex', scope: 'full' })
  for (const path of ['/v1/responses/resp_1', '/v1/realtime?model=m', '/v1/chat/completions', '/nowhere']) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      [
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${secret}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '\r\n',
      ].join('\r\n'),
    )
    // It ends only when the other side closes the connection.
    expect(await text(socket)).toMatch(/^HTTP\/1.1 426 (.|\r\n)*POST request/)
  }
  const { json } = await tollgate.call('GET', `/v1/requests?key=${id}`)
  expect(json.data).toEqual([])
})
