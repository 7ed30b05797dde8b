import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { chunkedHead, expectAlive } from './testing/raw-chat.ts'
import { sendRaw } from './testing/socket.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate } = await shareForFile('HTTP')

const { host, port } = new URL(tollgate.baseUrl)
const bearer = `Authorization: Bearer ${tollgate.admin}`

interface Exchange {
  requests: string[]
  /** How many thousandths of the bytes are sent. */
  share: number
  pieces: number
}

const createRequest = (line: string, body = '', ...more: string[]) =>
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
  `${chunkedHead(tollgate, tollgate.admin)}${chatBody(stream).length.toString(16)}\r\n${chatBody(stream)}\r\n0\r\n\r\n`

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
    .map((line) => createRequest(`${line} HTTP/1.1`)),
  fc.boolean().map((stream) => createRequest('POST /v1/chat/completions HTTP/1.1', chatBody(stream))),
  fc.boolean().map(chunkedChat),
  fc
    .constantFrom('{', '[]', '{"model":"none","messages":[]}', '\0', '"\\ud800"')
    .map((body) => createRequest('POST /v1/chat/completions HTTP/1.1', body)),
)
const oldRequest = fc
  .tuple(fc.boolean(), fc.constantFrom([], ['Connection: keep-alive'], ['TE: chunked, trailers']))
  .map(([stream, more]) => createRequest('POST /v1/chat/completions HTTP/1.0', chatBody(stream), ...more))
const exchanges: fc.Arbitrary<Exchange> = fc.record({
  requests: fc.oneof(fc.array(anyRequest, { maxLength: 4 }), fc.tuple(oldRequest)),
  share: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 1000 })),
  pieces: fc.integer({ min: 1, max: 4 }),
})

/** Sends the requests and one that closes the connection. Describes what is wrong with the responses; null if nothing is. */
async function findFlaw({ requests, share, pieces }: Exchange): Promise<string | null> {
  const all = [...requests, createRequest('GET /healthz HTTP/1.1', '', 'Connection: close')]
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
  // A server treats a half-closed connection as a disconnected client.
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

test('Pipelined requests, split anywhere, HTTP/1.0 or chunked: every complete one is answered once (fuzzed)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(exchanges, { minLength: 25, maxLength: 25 }), async (batch) => {
      const flaws = await Promise.all(batch.map(findFlaw))
      expect(flaws.filter((each) => each !== null)).toEqual([])
    }),
    { numRuns: 16, endOnFailure: true },
  )
  // An uncaught exception would have ended the program.
  await expectAlive(tollgate)
  // Requests whose clients have left end soon.
  await expect
    .poll(async () => (await tollgate.call('GET', '/v1/requests?status=running')).json.data)
    .toEqual([])
})

test('A request is answered once even if its headers are rejected and its body cannot be read', async () => {
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
})

test('A HEAD request whose body cannot be read is rejected without a body', async () => {
  const lengths = ['Transfer-Encoding: identity', 'Content-Length: 2']
  const head = ['HEAD /v1/account HTTP/1.1', `Host: ${host}`, bearer, ...lengths]
  const { status, body } = await sendRaw(tollgate.baseUrl, head, '{}')
  expect([status, body]).toEqual([400, ''])
})

test('An unsupported method is 405, with or without a body', async () => {
  for (const more of [[], ['Content-Type: application/json', 'Content-Length: 2']]) {
    for (const method of ['OPTIONS', 'QUERY']) {
      const head = [`${method} /v1/models HTTP/1.1`, `Host: ${host}`, bearer, ...more]
      const { status } = await sendRaw(tollgate.baseUrl, head, more.length > 0 ? '{}' : '')
      expect(status).toBe(405)
    }
  }
})
