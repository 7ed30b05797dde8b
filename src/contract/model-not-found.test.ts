import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'

const tollgate = await startProgram()
afterAll(() => tollgate.close())

const post = (path: string) => tollgate.call('POST', path, { body: { model: 'm', input: 'Hello' } })

rule(
  'Errors',
  'Unsupported paths of OpenAI’s API are 404 in its envelope, with the path and an alternative',
  async () => {
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
      const { status, json } = await post(path)
      expect([path, status, json.error.type]).toEqual([path, 404, 'not_found_error'])
      expect(json.error.message).toContain(`Tollgate does not serve POST ${path.split('?')[0]} yet.`)
      expect(json.error.message).toContain(alternative)
    }
    expect((await tollgate.call('GET', '/api/tags')).json.error.message).toContain('Ollama')
  },
)

rule(
  'Errors',
  'Errors under /v1/messages have Anthropic’s envelope, and name the path or the model',
  async () => {
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
  },
)

rule('Errors', 'Errors on Gemini’s paths have Gemini’s envelope', async () => {
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
    const { status, json } = await post(path)
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

rule('Errors', 'A base URL without /v1, with a second /v1 or an extra slash is explained', async () => {
  for (const [path, hint] of [
    ['/chat/completions', 'The base URL must end in /v1. Use POST /v1/chat/completions.'],
    ['/v1/v1/chat/completions', 'The base URL has /v1 twice. Use POST /v1/chat/completions.'],
    ['/v1/chat/completions/', 'There is a slash too many at the end. Use POST /v1/chat/completions.'],
  ] as const) {
    const { status, json } = await post(path)
    expect([status, json.error.message]).toEqual([404, `There is no POST ${path}. ${hint}`])
  }
  const models = await tollgate.call('GET', '/models')
  expect([models.status, models.json.error.message]).toEqual([
    404,
    'There is no GET /models. The base URL must end in /v1. Use GET /v1/models.',
  ])
  const slash = await tollgate.call('GET', '/v1/models/')
  expect([slash.status, slash.json.error.message]).toEqual([
    404,
    'There is no GET /v1/models/. There is a slash too many at the end. Use GET /v1/models.',
  ])
  const doubled = await sendRaw(tollgate.baseUrl, [
    'POST /v1//chat/completions HTTP/1.1',
    `Host: ${new URL(tollgate.baseUrl).host}`,
    'Content-Length: 0',
  ])
  expect(doubled.status).toBe(404)
  expect(doubled.body).toContain('There is a slash too many. Use POST /v1/chat/completions.')
})

rule('Errors', 'An unknown path is 404, whatever its body', async () => {
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

rule('Errors', 'A path that URL normalization would change is 404, whatever the method', async () => {
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

rule('Errors', 'A 405 names the methods that the path has', async () => {
  const { json } = await tollgate.call('GET', '/v1/chat/completions')
  expect(json.error.message).toBe('There is no GET /v1/chat/completions. Use POST /v1/chat/completions.')
  const options = await tollgate.call('OPTIONS', '/v1/keys', { body: { name: 'a' } })
  expect([options.status, options.json.error.message]).toEqual([
    405,
    'There is no OPTIONS /v1/keys. Use GET /v1/keys or POST /v1/keys.',
  ])
})

rule('Errors', 'A secret in an unknown path is not repeated in the error', async () => {
  const { json } = await tollgate.call('GET', `/v1/nothing/${tollgate.admin}`)
  expect(json.error.message).toContain('/v1/nothing/…')
  expect(json.error.message).not.toContain('tg-')
})

rule(
  'Errors',
  'A WebSocket is 426 and the connection is closed, on any path; it is not in the log of requests',
  async () => {
    const { host, port } = new URL(tollgate.baseUrl)
    const { id, secret } = await tollgate.createKey({ name: 'codex', scope: 'full' })
    for (const path of ['/v1/responses', '/v1/realtime?model=m', '/v1/chat/completions', '/nowhere']) {
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
  },
)
