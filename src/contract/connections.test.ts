import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { chatLines, chunkedHead, expectAlive, openConnection } from './testing/raw-chat.ts'
import { rule, testSection } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, says, shareForFile } from './testing/upstream.ts'

const test = testSection('HTTP')

const { tollgate, upstream } = await shareForFile()

const chat = (body: object, version?: string, ...more: string[]) =>
  sendRaw(tollgate.baseUrl, ...chatLines(tollgate, body, version, ...more))

test('An HTTP/1.0 client gets a plain completion, its cost in the headers', async () => {
  await upstream.model('plain', says('old but well'))
  const { status, head, body } = await chat({}, '1.0')
  expect([status, JSON.parse(body).choices[0].message.content]).toEqual([200, 'old but well'])
  expect(head).toContain('x-service-cost-usd: 0.000011')
  expect(head).not.toContain('transfer-encoding')
})

test('An HTTP/1.0 client gets a stream without trailers that ends when the connection closes', async () => {
  await upstream.model('plain', says('old but well'))
  for (const more of [[], ['Connection: keep-alive'], ['TE: trailers']]) {
    const { status, head, body } = await chat({ stream: true }, '1.0', ...more)
    expect(status).toBe(200)
    expect(head).toContain('x-service-model: plain')
    expect(head).not.toMatch(/transfer-encoding|\ntrailer/)
    expect(body).toMatch(/^data: \{[\s\S]*old but well[\s\S]*data: \[DONE\]\n\n$/)
  }
  await expectAlive(tollgate)
})

test('An HTTP/1.0 client receives failures before and in a stream', async () => {
  await upstream.model('refuses', fails(400))
  const refused = await chat({ model: 'refuses', stream: true }, '1.0')
  expect([refused.status, JSON.parse(refused.body).error.type]).toEqual([400, 'invalid_request_error'])
  await upstream.model('breaks', (exchange) =>
    exchange
      .begin()
      .data({ error: { message: 'broken' } })
      .end(),
  )
  const broken = await chat({ model: 'breaks', stream: true }, '1.0')
  expect(broken.body).toContain('"type":"upstream_error"')
  const unknown = await chat({ model: 'none', stream: true }, '1.0')
  expect([unknown.status, JSON.parse(unknown.body).error.type]).toEqual([404, 'not_found_error'])
  await expectAlive(tollgate)
})

rule(
  'Chat answers',
  'X-Service-Model is percent-encoded UTF-8 for a model id that a header cannot contain',
  async () => {
    const id = '通义千问 100% é'
    await upstream.model('greets', says('你好'))
    await tollgate.call('PUT', `/v1/models/${encodeURIComponent(id)}`, {
      body: {
        provider: 'acme',
        upstreamModel: 'greets',
        pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      },
    })
    for (const stream of [false, true]) {
      const { status, headers } = await tollgate.chat(
        { model: id, stream },
        { headers: { 'idempotency-key': `k-model-${stream}` } },
      )
      expect(status).toBe(200)
      expect(headers.get('x-service-model')).toMatch(/^[\x21-\x7e ]+$/)
      expect(decodeURIComponent(headers.get('x-service-model') ?? '')).toBe(id)
      const again = await tollgate.chat(
        { model: id, stream },
        { headers: { 'idempotency-key': `k-model-${stream}` } },
      )
      expect(again.headers.get('x-service-model')).toBe(headers.get('x-service-model'))
    }
    await expectAlive(tollgate)
  },
)

test('100 Continue is not sent for a request that is rejected by its headers', async () => {
  const [lines] = chatLines(tollgate, {})
  for (const [from, to, status] of [
    [tollgate.admin, 'tg-wrong', 401],
    ['application/json', 'text/plain', 415],
    [/Content-Length: \d+/, 'Content-Length: 99000000', 413],
    ['Content-Type', 'Content-Encoding: gzip\r\nContent-Type', 415],
  ] as const) {
    const connection = openConnection(tollgate)
    connection.write([...lines, 'Expect: 100-continue', '', ''].join('\r\n').replace(from, to))
    expect(await connection.read(/"error"/)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*connection: close`, 'i'),
    )
  }
})

test('A client that expects 100 Continue receives it, then its completion', async () => {
  await upstream.model('plain', says('after all'))
  const [lines, body] = chatLines(tollgate, {})
  const connection = openConnection(tollgate)
  connection.write([...lines, 'Expect: 100-continue', '', ''].join('\r\n'))
  await connection.read(/^HTTP\/1.1 100 Continue\r\n\r\n/)
  connection.write(body)
  expect(await connection.read(/after all/)).toContain('HTTP/1.1 200 OK')
  connection.end()
})

test('JSON may be nested up to 64 levels', async () => {
  const nested = (levels: number) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect((await tollgate.call('POST', '/v1/chat/completions', { body: nested(64) })).status).toBe(200)
  for (const levels of [65, 10_000]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body: nested(levels) })
    expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
  }
})

test('Bodies up to 32 MB are accepted', async () => {
  const planLimits = { 'pay-as-you-go': { tokensPerMinute: 100_000_000 } }
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits } })
  await upstream.model('large', says('read it all'))
  const content = 'word '.repeat(6_000_000)
  const { status } = await tollgate.chat({ model: 'large', messages: [{ role: 'user', content }] })
  expect(status).toBe(200)
  expect(upstream.calls('large')[0]?.body.length).toBeGreaterThan(30_000_000)
})

test('Ambiguous JSON is rejected: 1e400, a duplicate member, __proto__, invalid UTF-8', async () => {
  const around = (more: string) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],${more}}`
  for (const body of [
    around('"max_tokens":1e400'),
    around('"n":1,"n":8'),
    around('"__proto__":{}'),
    around('"n":01'),
  ]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body })
    expect([body, status, json.error.type]).toEqual([body, 400, 'invalid_request_error'])
  }
  const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' },
    body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22),
  })
  expect(response.status).toBe(400)
  await response.body?.cancel()
})

test('Bodies of unknown length use only the memory they need: one key can run many streams at once', async () => {
  await upstream.model('endless', (exchange) => {
    exchange.begin().data(testChunk({ content: 'more text' }))
  })
  const { secret } = await tollgate.createKey({ name: 'chunked', scope: 'completions-only' })
  const text = JSON.stringify({
    model: 'endless',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const streams = Array.from({ length: 20 }, () => {
    const stream = openConnection(tollgate)
    stream.write(`${chunkedHead(tollgate, secret)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`)
    return stream
  })
  for (const stream of streams) expect(await stream.read(/more text|^HTTP\/1.1 5/)).toMatch(/200 OK/)
  for (const stream of streams) stream.end()
  await expectAlive(tollgate)
})

test('Large bodies that are announced but never sent do not block other requests', async () => {
  const { secret } = await tollgate.createKey({ name: 'announces', scope: 'completions-only' })
  const head = chunkedHead(tollgate, secret).replace('Transfer-Encoding: chunked', 'Content-Length: 33000000')
  const silent = Array.from({ length: 20 }, () => {
    const connection = openConnection(tollgate)
    connection.write(`${head}{"model":`)
    return connection
  })
  const other = await tollgate.createKey({ name: 'other', scope: 'full' })
  for (const as of [secret, other.secret, tollgate.admin]) {
    expect((await tollgate.chat({}, { as })).status).toBe(200)
  }
  for (const connection of silent) connection.end()
})

test('A key that sends too much at once is rejected; other keys are not', async () => {
  const { secret } = await tollgate.createKey({ name: 'greedy', scope: 'completions-only' })
  const mega = Buffer.from(`100000\r\n${' '.repeat(1 << 20)}\r\n`)
  // More than 128 MB.
  const connections = Array.from({ length: 5 }, () => {
    const connection = openConnection(tollgate)
    connection.write(chunkedHead(tollgate, secret))
    for (let i = 0; i < 30; i++) connection.write(mega)
    return connection
  })
  const refused = await Promise.any(connections.map((each) => each.read(/"busy"/)))
  expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1/)
  const other = await tollgate.createKey({ name: 'modest', scope: 'completions-only' })
  const content = 'x'.repeat(1 << 20)
  for (const as of [other.secret, tollgate.admin]) {
    const { status } = await tollgate.chat({ max_tokens: 1, messages: [{ role: 'user', content }] }, { as })
    expect(status).toBe(200)
  }
  for (const connection of connections) connection.end()
})

test('415 for a compressed body, with an explanation', async () => {
  const body = gzipSync(JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }] }))
  const answer = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tollgate.admin}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body,
  })
  const { error } = ErrorEnvelope.parse(await answer.json())
  expect([answer.status, error.type]).toEqual([415, 'invalid_request_error'])
  expect(error.message).toContain('uncompressed')
})

test('A client that disconnects while sending its body causes no error in the log', async () => {
  // `close` throws if the program logged an error.
  for (const head of [
    chunkedHead(tollgate, tollgate.admin),
    chatLines(tollgate, {})[0].concat('', '').join('\r\n'),
  ]) {
    const connection = openConnection(tollgate)
    connection.write(`${head}5\r\n{"mod\r\n`)
    // The disconnection has been handled by the time the next request is served.
    await tollgate.call('GET', '/healthz')
    connection.end()
  }
  await expectAlive(tollgate)
})

test('A burst of 800 connections is accepted while the gateway is busy', async () => {
  // Linux refuses none that fit the queue of the socket, but makes the rest try again after 1, 3 and 7 seconds.
  process.kill(tollgate.pid, 'SIGSTOP')
  const port = Number(new URL(tollgate.baseUrl).port)
  const sockets = Array.from({ length: 800 }, () => connect(port, '127.0.0.1'))
  try {
    const signal = AbortSignal.timeout(10_000)
    await Promise.all(sockets.map((socket) => once(socket, 'connect', { signal })))
  } finally {
    process.kill(tollgate.pid, 'SIGCONT')
    for (const socket of sockets) socket.destroy()
  }
  await expectAlive(tollgate)
})
