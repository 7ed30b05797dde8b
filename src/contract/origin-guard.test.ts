import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { rule } from './testing/rule.ts'
import { LOOPBACKS, sendRaw } from './testing/socket.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Listening')

const { port, host } = new URL(tollgate.baseUrl)
const bearer = `Authorization: Bearer ${tollgate.admin}`
const raw = (...lines: string[]) => sendRaw(tollgate.baseUrl, lines)
const getError = (answer: { body: string }) => JSON.parse(answer.body).error

test('It listens on 127.0.0.1 and on ::1, on the same port', async () => {
  for (const address of LOOPBACKS) {
    const answer = await sendRaw(tollgate.baseUrl, ['GET /healthz HTTP/1.1', `Host: ${host}`], '', address)
    expect(answer.status).toBe(200)
  }
})

test('It listens on no other address of the machine', async () => {
  const socket = connect(Number(port), '127.0.0.2')
  const outcome = await new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'))
    socket.once('error', () => resolve('refused'))
  })
  socket.destroy()
  expect(outcome).toBe('refused')
})

rule('Headless', 'The data dir has mode 0700 and every file in it 0600', () => {
  expect(statSync(tollgate.dataDir).mode & 0o777).toBe(0o700)
  const entries = readdirSync(tollgate.dataDir, { recursive: true, withFileTypes: true })
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777
    expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600])
  }
})

test('A foreign Host gets 403 permission_error; 127.0.0.1, localhost and [::1] are allowed', async () => {
  for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
    expect((await raw('GET /v1/models HTTP/1.1', `Host: ${name}`, bearer)).status).toBe(200)
  }
  for (const name of [
    'evil.example',
    `127.0.0.1.evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${Number(port) + 1}`,
  ]) {
    const answer = await raw('GET /v1/models HTTP/1.1', `Host: ${name}`, bearer)
    expect([name, answer.status, getError(answer).type]).toEqual([name, 403, 'permission_error'])
  }
})

test('A missing, empty or doubled Host is 400', async () => {
  for (const lines of [['Host:'], [`Host: ${host}`, `Host: ${host}`], []]) {
    const answer = await raw('GET /healthz HTTP/1.1', ...lines)
    expect([answer.status, getError(answer).type]).toEqual([400, 'invalid_request_error'])
  }
})

test('A foreign or null Origin, or a cross-site fetch, gets 403 even with a valid key, and no CORS', async () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await raw(
      'GET /v1/models HTTP/1.1',
      `Host: ${host}`,
      bearer,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    )
    expect([headers, answer.status, getError(answer).type]).toEqual([headers, 403, 'permission_error'])
    expect(answer.head).not.toContain('access-control-allow')
  }
  const own = await raw('GET /v1/models HTTP/1.1', `Host: ${host}`, bearer, `Origin: ${tollgate.baseUrl}`)
  expect(own.status).toBe(200)
})

test('The user can allow an origin, preflight included', async () => {
  const origin = 'https://tool.example'
  const ask = (...lines: string[]) => raw(...lines, `Host: ${host}`, `Origin: ${origin}`)
  expect((await ask('OPTIONS /v1/chat/completions HTTP/1.1')).status).toBe(403)
  await tollgate.call('PATCH', '/v1/settings', { body: { allowedOrigins: [origin] } })
  const preflight = await ask(
    'OPTIONS /v1/chat/completions HTTP/1.1',
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization, content-type',
  )
  expect(preflight.status).toBe(204)
  expect(preflight.head).toContain(`access-control-allow-origin: ${origin}`)
  expect(preflight.head).toContain('access-control-allow-headers: authorization, content-type')
  const answer = await ask('GET /v1/models HTTP/1.1', bearer)
  expect(answer.status).toBe(200)
  expect(answer.head).toContain(`access-control-allow-origin: ${origin}`)
  expect(answer.head).toContain('access-control-expose-headers')
  await tollgate.call('PATCH', '/v1/settings', { body: { allowedOrigins: [] } })
})

test('An allowed origin is one origin: no wildcards', async () => {
  const allow = (origin: string) =>
    tollgate.call('PATCH', '/v1/settings', { body: { allowedOrigins: [origin] } })
  for (const origin of [
    '*',
    '*-extension://x',
    '-extension://x',
    'a b-extension://x',
    'https://*.example',
    'null',
  ]) {
    const { status, json } = await allow(origin)
    expect([origin, status, json.error?.param]).toEqual([origin, 400, 'allowedOrigins[0]'])
  }
  for (const origin of [
    'chrome-extension://abcdefgh',
    'moz-extension://0f-1',
    'safari-web-extension://0F-1',
  ]) {
    expect([origin, (await allow(origin)).status]).toEqual([origin, 200])
  }
  await tollgate.call('PATCH', '/v1/settings', { body: { allowedOrigins: [] } })
})

test('Responses are neither cached nor sniffed', async () => {
  const answers = [
    await raw('GET /healthz HTTP/1.1', `Host: ${host}`),
    await raw('GET /openapi.json HTTP/1.1', `Host: ${host}`),
    await raw('GET /v1/keys HTTP/1.1', `Host: ${host}`, bearer),
    await raw('HEAD /v1/keys HTTP/1.1', `Host: ${host}`, bearer),
    await raw('HEAD /v1/events HTTP/1.1', `Host: ${host}`, bearer),
    await raw('GET /v1/keys HTTP/1.1', `Host: ${host}`),
    await raw('PUT /v1/keys HTTP/1.1', `Host: ${host}`),
    await raw('GET /nothing HTTP/1.1', `Host: ${host}`),
    await raw('GET /% HTTP/1.1', `Host: ${host}`),
    await raw('GET /healthz HTTP/1.1', 'Host: evil.example'),
    await raw('GET /healthz HTTP/1.1', `Host: ${host}`, 'Expect: wonders'),
    await raw('GET /healthz HTTP/1.1', `Host: ${host}`, `X-Long: ${'x'.repeat(20_000)}`),
    await raw('NONSENSE'),
  ]
  for (const { head } of answers) {
    expect(head).toContain('\ncache-control: no-store\r\n')
    expect(head).toContain('\nx-content-type-options: nosniff')
  }
  const created = await tollgate.call('POST', '/v1/keys', { body: { name: 'secret', scope: 'full' } })
  for (const { headers } of [created, await tollgate.chat({}), await tollgate.chat({ stream: true })]) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

rule('HTTP', 'HEAD is answered without a body wherever GET is supported', async () => {
  const { json } = await tollgate.call('GET', '/openapi.json')
  const paths = Object.entries<object>(json.paths)
    .filter(([path, methods]) => 'get' in methods && !path.includes('{'))
    .map(([path]) => path)
  expect(paths).toContain('/v1/events')
  for (const path of [...paths, '/v1/models/sandbox-small', '/openapi.json']) {
    const { status, head, body } = await raw(`HEAD ${path} HTTP/1.1`, `Host: ${host}`, bearer)
    expect([path, status, body]).toEqual([path, 200, ''])
    expect(head).toContain('x-service-request-id: req_')
  }
})

test('A doubled Authorization, Content-Type or Idempotency-Key header is 400', async () => {
  for (const name of ['Authorization', 'Idempotency-Key', 'Content-Type']) {
    const value = name === 'Authorization' ? `Bearer ${tollgate.admin}` : 'x'
    const others = name === 'Authorization' ? [] : [bearer]
    const answer = await raw(
      'GET /v1/models HTTP/1.1',
      `Host: ${host}`,
      ...others,
      `${name}: ${value}`,
      `${name}: ${value}`,
    )
    expect([name, answer.status, getError(answer).type]).toEqual([name, 400, 'invalid_request_error'])
  }
})

test('Paths that match a route only after normalization are 404', async () => {
  for (const path of [
    '//v1/keys',
    '/v1//keys',
    '/x/../v1/keys',
    '/v1/%2e%2e/v1/keys',
    '/v1\\keys',
    '/%76%31/keys',
    '/v1/%6Beys',
    '/v1%2Fkeys',
    '/v1/keys#x',
    '/v1/keys?a#x',
    '/v1/keys;x',
    '/v1/models/',
    '/v1/models/%',
    `http://${host}/v1/keys`,
  ]) {
    const answer = await raw(`GET ${path} HTTP/1.1`, `Host: ${host}`, bearer)
    expect([path, answer.status, getError(answer).type]).toEqual([path, 404, 'not_found_error'])
  }
})

test('A secret in the URL is rejected with 400', async () => {
  for (const query of [`key=${tollgate.admin}`, `a=1&b=&&c&key=${tollgate.admin}`]) {
    const { status } = await tollgate.call('GET', `/v1/models?${query}`)
    expect([query, status]).toEqual([query, 400])
  }
})

rule('OpenAPI', 'GET /healthz needs no key and returns { status, version }', async () => {
  const { status, json } = await tollgate.call('GET', '/healthz', { as: '' })
  expect([status, json]).toEqual([200, { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) }])
})
