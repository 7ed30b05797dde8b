// What comes over a socket that no HTTP library would send: old versions, cut requests, requests in a row.
import { afterAll, expect } from 'vitest'
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

const { host } = new URL(tollgate.baseUrl)
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

async function expectAlive(): Promise<void> {
  expect((await tollgate.call('GET', '/healthz')).json.status).toBe('ok')
  expect((await tollgate.call('GET', '/v1/account')).json.reservedUsd).toBe(0)
}

rule('interface 4', 'An HTTP/1.0 client gets a plain completion, its cost in the headers', async () => {
  await stage.model('plain', says('old but well'))
  const { status, head, body } = await chat({}, '1.0')
  expect([status, JSON.parse(body).choices[0].message.content]).toEqual([200, 'old but well'])
  expect(head).toContain('x-service-cost-usd: 0.000011')
  expect(head).not.toContain('transfer-encoding')
})

rule(
  'decisions 5',
  'An HTTP/1.0 client gets a stream without trailers, which ends with its connection',
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

rule('decisions 5', 'An HTTP/1.0 client is told of failures, before a stream and in it', async () => {
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
  'interface 4',
  'X-Service-Model of a model whose id no header can hold is percent-encoded UTF-8',
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
