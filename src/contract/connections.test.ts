import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { chatLines, expectAlive, openConnection } from './testing/raw-chat.ts'
import { rule } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'
import { fails, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const chat = (body: object, version?: string, ...more: string[]) =>
  sendRaw(tollgate.baseUrl, ...chatLines(tollgate, body, version, ...more))

rule('HTTP', 'An HTTP/1.0 client gets a plain completion, its cost in the headers', async () => {
  await upstream.model('plain', says('old but well'))
  const { status, head, body } = await chat({}, '1.0')
  expect([status, JSON.parse(body).choices[0].message.content]).toEqual([200, 'old but well'])
  expect(head).toContain('x-service-cost-usd: 0.000011')
  expect(head).not.toContain('transfer-encoding')
})

rule(
  'HTTP',
  'An HTTP/1.0 client gets a stream without trailers that ends when the connection closes',
  async () => {
    await upstream.model('plain', says('old but well'))
    for (const more of [[], ['Connection: keep-alive'], ['TE: trailers']]) {
      const { status, head, body } = await chat({ stream: true }, '1.0', ...more)
      expect(status).toBe(200)
      expect(head).toContain('x-service-model: plain')
      expect(head).not.toMatch(/transfer-encoding|\ntrailer/)
      expect(body).toMatch(/^data: \{[\s\S]*old but well[\s\S]*data: \[DONE\]\n\n$/)
    }
    await expectAlive(tollgate)
  },
)

rule('HTTP', 'An HTTP/1.0 client receives failures before and in a stream', async () => {
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
rule('HTTP', '100 Continue is not sent for a request that is rejected by its headers', async () => {
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

rule('HTTP', 'A client that expects 100 Continue receives it, then its completion', async () => {
  await upstream.model('plain', says('after all'))
  const [lines, body] = chatLines(tollgate, {})
  const connection = openConnection(tollgate)
  connection.write([...lines, 'Expect: 100-continue', '', ''].join('\r\n'))
  await connection.read(/^HTTP\/1.1 100 Continue\r\n\r\n/)
  connection.write(body)
  expect(await connection.read(/after all/)).toContain('HTTP/1.1 200 OK')
  connection.end()
})
