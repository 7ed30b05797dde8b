import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { chatLines, chunkedHead, expectAlive, openConnection } from './testing/raw-chat.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('HTTP')

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

test('Bodies up to 32 MB are accepted', async () => {
  const planLimits = { 'pay-as-you-go': { tokensPerMinute: 100_000_000 } }
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits } })
  await upstream.model('large', says('read it all'))
  const content = 'word '.repeat(6_000_000)
  const { status } = await tollgate.chat({ model: 'large', messages: [{ role: 'user', content }] })
  expect(status).toBe(200)
  expect(upstream.calls('large')[0]?.body.length).toBeGreaterThan(30_000_000)
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
  const headers = { 'content-encoding': 'gzip' }
  const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body: 'zipped', headers })
  expect([status, json.error.type]).toEqual([415, 'invalid_request_error'])
  expect(json.error.message).toContain('uncompressed')
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
