// What comes over a socket that no HTTP library would send: old versions, cut requests, requests in a row.
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { ErrorEnvelope } from '../shared/errors.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, says, startStage } from './testing/upstream.ts'

const tollgate = await startProgram()
const stage = await startStage(tollgate)
afterAll(async () => {
  await tollgate.close()
  await stage.close()
})

const { host, port } = new URL(tollgate.baseUrl)
const bearer = `Authorization: Bearer ${tollgate.admin}`

function chatLines(body: object, version = '1.1', ...more: string[]): [string[], string] {
  const text = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }], ...body })
  return [
    [
      `POST /v1/chat/completions HTTP/${version}`,
      `Host: ${host}`,
      bearer,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      ...more,
    ],
    text,
  ]
}
const chat = (body: object, version?: string, ...more: string[]) =>
  sendRaw(tollgate.baseUrl, ...chatLines(body, version, ...more))

/** It serves, and what was hung up is settled. */
async function expectAlive(): Promise<void> {
  expect((await tollgate.call('GET', '/healthz')).json.status).toBe('ok')
  const reserved = async () => (await tollgate.call('GET', '/v1/account')).json.reservedUsd
  await expect.poll(reserved, { timeout: 10_000 }).toBe(0)
}

rule('HTTP', 'An HTTP/1.0 client gets a plain completion, its cost in the headers', async () => {
  await stage.model('plain', says('old but well'))
  const { status, head, body } = await chat({}, '1.0')
  expect([status, JSON.parse(body).choices[0].message.content]).toEqual([200, 'old but well'])
  expect(head).toContain('x-service-cost-usd: 0.000011')
  expect(head).not.toContain('transfer-encoding')
})

rule(
  'HTTP',
  'An HTTP/1.0 client gets a stream without trailers that ends when the connection closes',
  async () => {
    await stage.model('plain', says('old but well'))
    for (const more of [[], ['Connection: keep-alive'], ['TE: trailers']]) {
      const { status, head, body } = await chat({ stream: true }, '1.0', ...more)
      expect(status).toBe(200)
      expect(head).toContain('x-service-model: plain')
      expect(head).not.toMatch(/transfer-encoding|\ntrailer/)
      expect(body).toMatch(/^data: \{[\s\S]*old but well[\s\S]*data: \[DONE\]\n\n$/)
    }
    await expectAlive()
  },
)

rule('HTTP', 'An HTTP/1.0 client receives failures before and in a stream', async () => {
  await stage.model('refuses', fails(400))
  const refused = await chat({ model: 'refuses', stream: true }, '1.0')
  expect([refused.status, JSON.parse(refused.body).error.type]).toEqual([400, 'invalid_request_error'])
  await stage.model('breaks', (exchange) =>
    exchange
      .begin()
      .data({ error: { message: 'broken' } })
      .end(),
  )
  const broken = await chat({ model: 'breaks', stream: true }, '1.0')
  expect(broken.body).toContain('"type":"upstream_error"')
  const unknown = await chat({ model: 'none', stream: true }, '1.0')
  expect([unknown.status, JSON.parse(unknown.body).error.type]).toEqual([404, 'not_found_error'])
  await expectAlive()
})

rule(
  'Chat answers',
  'X-Service-Model is percent-encoded UTF-8 for a model id that a header cannot contain',
  async () => {
    const id = '通义千问 100% é'
    await stage.model('greets', says('你好'))
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
    await expectAlive()
  },
)

/** A connection that is written to by hand; `read` resolves when what came so far satisfies it. */
function open(): { write(text: string): void; read(pattern: RegExp): Promise<string>; end(): void } {
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (piece: string) => {
    text += piece
  })
  socket.on('error', () => undefined)
  return {
    write: (sent) => void socket.write(sent),
    end: () => void socket.destroy(),
    async read(pattern) {
      while (!pattern.test(text)) {
        if (socket.readableEnded || socket.destroyed) throw new Error(`closed after: ${text}`)
        await Promise.race(['data', 'end', 'close'].map((event) => once(socket, event)))
      }
      return text
    },
  }
}

const chunkedHead = (secret: string) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n')

rule(
  'HTTP',
  'Bodies of unknown length use only the memory they need: one key can run many streams at once',
  async () => {
    await stage.model('endless', (exchange) => {
      exchange.begin().data(testChunk({ content: 'on and on' }))
    })
    const { secret } = await tollgate.createKey({ name: 'chunked', scope: 'completions-only' })
    const text = JSON.stringify({
      model: 'endless',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const streams = Array.from({ length: 20 }, () => {
      const stream = open()
      stream.write(`${chunkedHead(secret)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`)
      return stream
    })
    for (const stream of streams) expect(await stream.read(/on and on|^HTTP\/1.1 5/)).toMatch(/200 OK/)
    for (const stream of streams) stream.end()
    await expectAlive()
  },
)

rule('HTTP', 'Large bodies that are announced but never sent do not block other requests', async () => {
  const { secret } = await tollgate.createKey({ name: 'announces', scope: 'completions-only' })
  const head = chunkedHead(secret).replace('Transfer-Encoding: chunked', 'Content-Length: 33000000')
  const silent = Array.from({ length: 20 }, () => {
    const connection = open()
    connection.write(`${head}{"model":`)
    return connection
  })
  const other = await tollgate.createKey({ name: 'other', scope: 'full' })
  for (const as of [secret, other.secret, tollgate.admin]) {
    expect((await tollgate.chat({}, { as })).status).toBe(200)
  }
  for (const connection of silent) connection.end()
})

rule('HTTP', 'A key that sends too much at once is rejected; other keys are not', async () => {
  const { secret } = await tollgate.createKey({ name: 'greedy', scope: 'completions-only' })
  const mega = ' '.repeat(1 << 20)
  const sent = Array.from({ length: 6 }, async () => {
    const connection = open()
    connection.write(chunkedHead(secret))
    for (let i = 0; i < 30; i++) connection.write(`100000\r\n${mega}\r\n`)
    return connection
  })
  const connections = await Promise.all(sent)
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

rule('HTTP', '100 Continue is not sent for a request that is rejected by its headers', async () => {
  const [lines] = chatLines({})
  for (const [from, to, status] of [
    [tollgate.admin, 'tg-wrong', 401],
    ['application/json', 'text/plain', 415],
    [/Content-Length: \d+/, 'Content-Length: 99000000', 413],
    ['Content-Type', 'Content-Encoding: gzip\r\nContent-Type', 415],
  ] as const) {
    const connection = open()
    connection.write([...lines, 'Expect: 100-continue', '', ''].join('\r\n').replace(from, to))
    expect(await connection.read(/"error"/)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*connection: close`, 'i'),
    )
  }
})

rule('HTTP', 'A client that expects 100 Continue receives it, then its completion', async () => {
  await stage.model('plain', says('after all'))
  const [lines, body] = chatLines({})
  const connection = open()
  connection.write([...lines, 'Expect: 100-continue', '', ''].join('\r\n'))
  await connection.read(/^HTTP\/1.1 100 Continue\r\n\r\n/)
  connection.write(body)
  expect(await connection.read(/after all/)).toContain('HTTP/1.1 200 OK')
  connection.end()
})

rule('HTTP', '415 for a compressed body, with an explanation', async () => {
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

rule('HTTP', 'A client that disconnects while sending its body causes no error in the log', async () => {
  // `close` of the program fails where the log has one.
  for (const head of [chunkedHead(tollgate.admin), chatLines({})[0].concat('', '').join('\r\n')]) {
    const connection = open()
    connection.write(`${head}5\r\n{"mod\r\n`)
    // The next request is served after the hang-up was seen.
    await tollgate.call('GET', '/healthz')
    connection.end()
  }
  await expectAlive()
})

interface Exchange {
  requests: string[]
  /** How many thousandths of the bytes are sent. */
  share: number
  pieces: number
}

const requestOf = (line: string, body = '', ...more: string[]) =>
  [
    line,
    `Host: ${host}`,
    bearer,
    ...more,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')
const chatBody = (stream: boolean) =>
  JSON.stringify({
    model: 'sandbox-small',
    stream,
    max_tokens: 3,
    messages: [{ role: 'user', content: 'Hi' }],
  })
const chunkedChat = (stream: boolean) =>
  `${chunkedHead(tollgate.admin)}${chatBody(stream).length.toString(16)}\r\n${chatBody(stream)}\r\n0\r\n\r\n`

/** Requests that may follow each other on one connection. */
const anyRequest = fc.oneof(
  fc
    .constantFrom(
      'GET /v1/key',
      'GET /healthz',
      'HEAD /v1/models',
      'HEAD /v1/events',
      'PUT /v1/keys',
      'GET /%',
      'GET /x',
    )
    .map((line) => requestOf(`${line} HTTP/1.1`)),
  fc.boolean().map((stream) => requestOf('POST /v1/chat/completions HTTP/1.1', chatBody(stream))),
  fc.boolean().map(chunkedChat),
  fc
    .constantFrom('{', '[]', '{"model":"none","messages":[]}', '\0', '"\\ud800"')
    .map((body) => requestOf('POST /v1/chat/completions HTTP/1.1', body)),
)
const oldRequest = fc
  .tuple(fc.boolean(), fc.constantFrom([], ['Connection: keep-alive'], ['TE: chunked, trailers']))
  .map(([stream, more]) => requestOf('POST /v1/chat/completions HTTP/1.0', chatBody(stream), ...more))
const exchanges: fc.Arbitrary<Exchange> = fc.record({
  requests: fc.oneof(fc.array(anyRequest, { maxLength: 4 }), fc.tuple(oldRequest)),
  share: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 1000 })),
  pieces: fc.integer({ min: 1, max: 4 }),
})

/** Sends the requests and one that asks for the end. What is wrong with what came back; null when nothing is. */
async function flaw({ requests, share, pieces }: Exchange): Promise<string | null> {
  const all = [...requests, requestOf('GET /healthz HTTP/1.1', '', 'Connection: close')]
  const bytes = Buffer.from(all.join(''))
  const sent = bytes.subarray(0, (bytes.length * share) / 1000)
  const socket = connect(Number(port), '127.0.0.1')
  const came: Buffer[] = []
  socket.on('data', (piece) => came.push(piece)).on('error', () => undefined)
  const closed = once(socket, 'close')
  for (let at = 0; at < pieces; at++) {
    const [from, to] = [at, at + 1].map((each) => Math.floor((sent.length * each) / pieces))
    await new Promise((resolve) => socket.write(sent.subarray(from, to), resolve))
  }
  // To a server, whoever closes its side has left.
  if (sent.length < bytes.length) socket.end()
  await closed
  const answer = Buffer.concat(came).toString('utf8')
  if (answer !== '' && !/^HTTP\/1\.1 [24]\d\d /.test(answer)) return `no answer: ${answer}`
  if (answer.includes('server_error')) return `a fault: ${answer}`
  const answers = answer.match(/^x-service-request-id: req_/gm)?.length ?? 0
  const isWhole = sent.length === bytes.length
  const isOld = requests.some((request) => request.includes('HTTP/1.0'))
  return isWhole && answers !== all.length && !(isOld && answers === 1)
    ? `${answers} answers to ${all.length} requests: ${answer}`
    : null
}

rule(
  'HTTP',
  'Pipelined requests, split anywhere, HTTP/1.0 or chunked: every complete one is answered once (fuzzed)',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(exchanges, { minLength: 25, maxLength: 25 }), async (batch) => {
        const flaws = await Promise.all(batch.map(flaw))
        expect(flaws.filter((each) => each !== null)).toEqual([])
      }),
      { numRuns: 16, endOnFailure: true },
    )
    // An exception that nobody catches would have ended the program.
    await expectAlive()
    const { data } = (await tollgate.call('GET', '/v1/requests?status=running')).json
    expect(data).toEqual([])
  },
)

rule(
  'HTTP',
  'A request is answered once even if its headers are rejected and its body cannot be read',
  async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const head = [
        'GET /v1/models HTTP/1.1',
        `Host: ${host}`,
        'Transfer-Encoding: identity',
        'Sec-Fetch-Site: cross-site',
      ]
      const { status, body } = await sendRaw(tollgate.baseUrl, head, '')
      expect([400, 403]).toContain(status)
      expect(body).not.toContain('HTTP/1.1')
    }
  },
)

rule('HTTP', 'A HEAD request whose body cannot be read is rejected without a body', async () => {
  const lengths = ['Transfer-Encoding: identity', 'Content-Length: 2']
  const head = ['HEAD /v1/account HTTP/1.1', `Host: ${host}`, bearer, ...lengths]
  const { status, body } = await sendRaw(tollgate.baseUrl, head, '{}')
  expect([status, body]).toEqual([400, ''])
})

rule('HTTP', 'An unsupported method is 405, with or without a body', async () => {
  for (const more of [[], ['Content-Type: application/json', 'Content-Length: 2']]) {
    for (const method of ['OPTIONS', 'QUERY']) {
      const head = [`${method} /v1/models HTTP/1.1`, `Host: ${host}`, bearer, ...more]
      const { status } = await sendRaw(tollgate.baseUrl, head, more.length > 0 ? '{}' : '')
      expect(status).toBe(405)
    }
  }
})
