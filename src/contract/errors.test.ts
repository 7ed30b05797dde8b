import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { testSection } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, shareForFile } from './testing/upstream.ts'

const test = testSection('Errors')

const { tollgate, upstream } = await shareForFile()

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

test('401 authentication_error', async () => {
  expectEnvelope(await tollgate.call('GET', '/v1/key', { as: '' }), 401, 'authentication_error')
})

test('402 insufficient_quota: the key is at its cap', async () => {
  const { secret } = await tollgate.createKey({ name: 'broke', scope: 'full', spendLimitUsd: 0 })
  expectEnvelope(await tollgate.chat({}, { as: secret }), 402, 'insufficient_quota')
})

test('403 permission_error', async () => {
  const { secret } = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
  expectEnvelope(await tollgate.chat({}, { as: secret }), 403, 'permission_error')
})

test('404 not_found_error: unknown model or endpoint', async () => {
  expectEnvelope(await tollgate.chat({ model: 'no-such-model' }), 404, 'not_found_error')
  for (const path of ['/v1/nothing', '/v2/models', '/v1', '/v1/keys/', '/V1/models']) {
    expectEnvelope(await tollgate.call('GET', path), 404, 'not_found_error')
  }
})

test('429 rate_limit_exceeded with Retry-After in seconds', async () => {
  const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
  await tollgate.chat({}, { as: secret })
  const answer = await tollgate.chat({}, { as: secret })
  expectEnvelope(answer, 429, 'rate_limit_exceeded')
  expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
})

for (const status of [502, 503, 504]) {
  test(`${status} upstream_error after the service’s retries`, async () => {
    await upstream.model(`fails-${status}`, fails(status))
    expectEnvelope(await tollgate.chat({ model: `fails-${status}` }), status, 'upstream_error')
    expect(upstream.calls(`fails-${status}`)).toHaveLength(3)
  })
}

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

test('405 with Allow, as invalid_request_error', async () => {
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

test('431 with the envelope for headers that are too large', async () => {
  const answer = await sendRaw(tollgate.baseUrl, [
    'GET /healthz HTTP/1.1',
    `Host: ${host}`,
    `X-Long: ${'x'.repeat(20_000)}`,
  ])
  expect([answer.status, JSON.parse(answer.body).error.type]).toEqual([431, 'invalid_request_error'])
  expect(answer.head).toContain('x-service-request-id: req_')
})

test('A path that cannot be decoded, or has an id that is too long, is 404 with the envelope', async () => {
  for (const path of ['/v1/keys/%zz', `/v1/keys/${'k'.repeat(3000)}`, '/%']) {
    expectEnvelope(await tollgate.call('GET', path), 404, 'not_found_error')
  }
})

test('Invalid HTTP gets the envelope and a request id', async () => {
  const answer = await sendRaw(tollgate.baseUrl, ['NONSENSE'])
  expect([answer.status, JSON.parse(answer.body).error.type]).toEqual([400, 'invalid_request_error'])
  expect(answer.head).toContain('x-service-request-id: req_')
})

test('An unsupported Expect header gets the envelope and a request id', async () => {
  const answer = await sendRaw(tollgate.baseUrl, [
    'GET /healthz HTTP/1.1',
    `Host: ${host}`,
    'Expect: the-impossible',
  ])
  expect(answer.status).toBe(417)
  expect(answer.body).toContain('{"error":{"type":"invalid_request_error"')
  expect(answer.head).toContain('x-service-request-id: req_')
})

const postTo = (path: string) => tollgate.call('POST', path, { body: { model: 'm', input: 'Hello' } })

test('Unsupported paths of OpenAI’s API are 404 in its envelope, with the path and an alternative', async () => {
  const chat = 'POST /v1/chat/completions'
  for (const [path = '', alternative] of [
    ['/v1/responses/resp_1/cancel', 'POST /v1/responses'],
    ['/v1/responses/compact', chat],
    ['/v1/images/variations', 'POST /v1/images/generations'],
    ['/v1/audio/voices', 'POST /v1/audio/speech'],
    ['/openai/deployments/m/chat/completions?api-version=1', chat],
    ['/api/chat', chat],
    ['/v1/batches', chat],
    ['/v1/fine_tuning/jobs', "the provider's own API"],
    ['/v1/files', 'within the request'],
    ['/v1/uploads/upload_1/parts', 'within the request'],
    ['/v1/vector_stores/vs_1/search', 'within the request'],
    ['/v1/realtime/sessions', 'POST /v1/audio/speech'],
    ['/v1/conversations', 'POST /v1/responses'],
    ['/v1/threads/thread_1/runs', 'POST /v1/responses'],
    ['/v1/videos', 'POST /v1/images/generations'],
    ['/v1/complete', 'POST /v1/messages'],
    ['/backend-api/codex/responses', 'tollgate run -- codex'],
  ]) {
    const { status, json } = await postTo(path)
    expect([path, status, json.error.type]).toEqual([path, 404, 'not_found_error'])
    expect(json.error.message).toContain(`Tollgate does not serve POST ${path.split('?')[0]} yet.`)
    expect(json.error.message).toContain(alternative)
  }
  expect((await tollgate.call('GET', '/api/tags')).json.error.message).toContain('Ollama')
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
  expect(await missing('/v1/messages/batches', {})).toBe(
    'Tollgate does not serve POST /v1/messages/batches yet. Send each message by POST /v1/messages.',
  )
  expect(await missing('/messages', {})).toBe(
    'There is no POST /messages. The base URL must end in /v1. Use POST /v1/messages.',
  )
  const wrongMethod = await tollgate.call('GET', '/v1/messages')
  expect([wrongMethod.status, wrongMethod.json.type]).toEqual([405, 'error'])
})

test('Errors on Gemini’s paths have Gemini’s envelope', async () => {
  for (const [path, hint] of [
    ['/v1beta/models/gemini-2.5-pro:predict', 'generateContent'],
    ['/v1alpha/models/gemini-2.5-pro:generateContent', 'POST /v1beta/models/MODEL:generateContent'],
    ['/v1beta/cachedContents', 'generateContent'],
    ['/v1/models/vendor/model:embedContent', 'POST /v1/embeddings'],
    ['/v1beta/models/vendor/model:batchEmbedContents', 'POST /v1/embeddings'],
    ['/v1internal:generateContent', 'tollgate run -- gemini'],
    ['/v1/projects/p/locations/l/publishers/google/models/m:generateContent', 'the Gemini API'],
    ['/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent', 'the Gemini API'],
  ] as const) {
    const { status, json } = await postTo(path)
    expect([path, status]).toEqual([path, 404])
    expect(json).toMatchObject({
      error: {
        code: 404,
        message: expect.stringContaining(`Tollgate does not serve POST ${path} yet.`),
        status: 'NOT_FOUND',
      },
    })
    expect(json.error.message).toContain(hint)
  }
})

test('A base URL without /v1, with a second /v1 or an extra slash is explained', async () => {
  for (const [path, hint] of [
    ['/chat/completions', 'The base URL must end in /v1. Use POST /v1/chat/completions.'],
    ['/v1/v1/chat/completions', 'The base URL has /v1 twice. Use POST /v1/chat/completions.'],
    ['/v1/chat/completions/', 'There is a slash too many at the end. Use POST /v1/chat/completions.'],
  ] as const) {
    const { status, json } = await postTo(path)
    expect([status, json.error.message]).toEqual([404, `There is no POST ${path}. ${hint}`])
  }
  const models = await tollgate.call('GET', '/models')
  expect([models.status, models.json.error]).toMatchObject([
    404,
    { message: 'There is no GET /models. The base URL must end in /v1. Use GET /v1/models.' },
  ])
  const slash = await tollgate.call('GET', '/v1/models/')
  expect([slash.status, slash.json.error]).toMatchObject([
    404,
    { message: 'There is no GET /v1/models/. There is a slash too many at the end. Use GET /v1/models.' },
  ])
  const doubled = await sendRaw(tollgate.baseUrl, [
    'POST /v1//chat/completions HTTP/1.1',
    `Host: ${new URL(tollgate.baseUrl).host}`,
    'Content-Length: 0',
  ])
  expect(doubled.status).toBe(404)
  expect(doubled.body).toContain('There is a slash too many. Use POST /v1/chat/completions.')
})

test('An unknown path is 404, whatever its body', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json']) {
    const answer = await tollgate.call('POST', '/v1/audio/voices', {
      body: 'not JSON',
      headers: { 'content-type': type },
    })
    expect([type, answer.status]).toEqual([type, 404])
  }
  const large = await tollgate.call('POST', '/v1/batches', { body: 'x'.repeat(20_000_000) })
  expect(large.status).toBe(404)
})

test('A path that URL normalization would change is 404, whatever the method', async () => {
  const { host } = new URL(tollgate.baseUrl)
  for (const path of ['/v1/models/a/../b', '/v1/models/%2e%2e']) {
    const { status } = await sendRaw(tollgate.baseUrl, [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Length: 0',
    ])
    expect([path, status]).toEqual([path, 404])
  }
})

test('A 405 names the methods that the path has', async () => {
  const { json } = await tollgate.call('GET', '/v1/chat/completions')
  expect(json.error.message).toBe('There is no GET /v1/chat/completions. Use POST /v1/chat/completions.')
  const options = await tollgate.call('OPTIONS', '/v1/keys', { body: { name: 'a' } })
  expect([options.status, options.json.error]).toMatchObject([
    405,
    { message: 'There is no OPTIONS /v1/keys. Use GET /v1/keys or POST /v1/keys.' },
  ])
})

test('A secret in an unknown path is not repeated in the error', async () => {
  const { json } = await tollgate.call('GET', `/v1/nothing/${tollgate.admin}`)
  expect(json.error.message).toContain('/v1/nothing/…')
  expect(json.error.message).not.toContain('tg-')
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
