import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect } from 'vitest'
import type { Answer } from '../gateway/testing/gateway.ts'
import { testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const getId = ({ headers }: Answer) => headers.get('x-service-request-id') ?? ''
const query = async (text: string) => (await tollgate.call('GET', `/v1/requests?${text}`)).json
const listRows = async (keyId: string): Promise<RequestRecord[]> => (await query(`key=${keyId}`)).data
const newKey = (more: object = {}) => tollgate.createKey({ name: 'tool', scope: 'full', ...more })

rule(
  'Requests and usage',
  'A request with a valid key that is rejected before admission is listed as rejected',
  async () => {
    await upstream.model('blind', says('hm'), { capabilities: ['tools'] })
    await upstream.model('priceless', says('hm'), { pricing: null })
    const key = await newKey({ spendLimitUsd: 1 })
    const as = key.secret
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const chat = 'POST /v1/chat/completions'
    const post = (path: string, body: unknown, headers = {}) =>
      tollgate.call('POST', path, { as, body, headers })
    const cases: [Answer, number, string, string | null][] = [
      [await tollgate.chat({ model: 'unknown-model' }, { as }), 404, chat, 'unknown-model'],
      [await tollgate.chat({ api_base: 'http://x' }, { as }), 400, chat, 'sandbox-small'],
      [await tollgate.chat({ temperature: 9 }, { as }), 400, chat, 'sandbox-small'],
      [
        await tollgate.chat({ model: 'blind', messages: [{ role: 'user', content: [image] }] }, { as }),
        ...([400, chat, 'blind'] as const),
      ],
      [await tollgate.chat({ model: 'priceless' }, { as }), 400, chat, 'priceless'],
      [await post('/v1/chat/completions', '{"model": "x", secret prompt'), 400, chat, null],
      [await post('/v1/chat/completions', 'x', { 'content-type': 'text/plain' }), 415, chat, null],
      [await tollgate.call('GET', '/v1/chat/completions', { as }), 405, 'GET /v1/chat/completions', null],
      [await post('/v1/batches', { model: 'm' }), 404, 'POST /v1/batches', null],
      [
        await post('/v1beta/models/gemini-x:generateContent?alt=sse', {}),
        ...([400, 'POST /v1beta/models/gemini-x:generateContent', 'gemini-x'] as const),
      ],
      [
        await post('/v1/models/acme/x:free:streamGenerateContent', {
          contents: [{ parts: [{ text: 'Hi' }] }],
        }),
        ...([404, 'POST /v1/models/acme/x:free:streamGenerateContent', 'acme/x:free'] as const),
      ],
      [await tollgate.call('GET', '/nothing', { as }), 404, 'GET /nothing', null],
    ]
    for (const [answer, status, endpoint, model] of cases) {
      expect([endpoint, answer.status]).toEqual([endpoint, status])
      const { status: found, json } = await tollgate.call('GET', `/v1/requests/${getId(answer)}`)
      expect([endpoint, found]).toEqual([endpoint, 200])
      expect(json).toMatchObject({
        id: getId(answer),
        keyId: key.id,
        keyName: 'tool',
        status: 'rejected',
        httpStatus: status,
        endpoint,
        requestedModel: model,
        provider: null,
        costUsd: 0,
        count: 1,
        lastAt: null,
        error: { type: status === 404 ? 'not_found_error' : 'invalid_request_error' },
      })
    }
    expect((await listRows(key.id)).map(({ id }) => id)).toEqual(
      cases.map(([answer]) => getId(answer)).toReversed(),
    )
  },
)

rule('Requests and usage', 'A reused Idempotency-Key is listed as rejected', async () => {
  const { id, secret } = await newKey()
  const once = { as: secret, headers: { 'idempotency-key': 'once' } }
  await tollgate.chat({}, once)
  const again = await tollgate.chat({ seed: 1 }, once)
  expect(await listRows(id)).toMatchObject([
    { id: getId(again), status: 'rejected', error: { code: 'idempotency_key_reused' } },
    { status: 'succeeded' },
  ])
})

rule('Requests and usage', 'A rejected request has no cost to settle and no bodies: 404', async () => {
  const { secret } = await newKey()
  const first = await tollgate.chat({ model: 'unknown-model' }, { as: secret })
  const again = await tollgate.chat({ model: 'unknown-model' }, { as: secret })
  for (const answer of [first, again]) {
    const path = `/v1/requests/${getId(answer)}`
    const settled = await tollgate.call('POST', `${path}/settle`, { body: { costUsd: 0 } })
    expect([settled.status, settled.json.error.type]).toEqual([404, 'not_found_error'])
    const bodies = await tollgate.call('GET', `${path}/bodies`)
    expect([bodies.status, bodies.json.error.code]).toEqual([404, 'bodies_not_kept'])
  }
})

rule(
  'Requests and usage',
  'A request whose provider is removed while it waits is rejected, and not also refused',
  async () => {
    const removed = Promise.withResolvers<void>()
    const received = Promise.withResolvers<void>()
    await upstream.model('holds-the-cap', async (exchange) => {
      received.resolve()
      await removed.promise
      exchange.reply(200, testCompletion('x'))
    })
    await tollgate.addProvider('removed', upstream.url, ['waits'])
    const key = await newKey({ spendLimitUsd: 0.0015 })
    const holding = tollgate.chat({ model: 'holds-the-cap' }, { as: key.secret })
    await received.promise
    const waiting = tollgate.chat({ model: 'waits' }, { as: key.secret })
    await tollgate.call('DELETE', '/v1/providers/removed')
    removed.resolve()
    expect((await holding).status).toBe(200)
    const answer = await waiting
    expect([answer.status, answer.json.error.type]).toEqual([404, 'not_found_error'])
    const rows = (await listRows(key.id)).filter(({ requestedModel }) => requestedModel === 'waits')
    expect(rows).toMatchObject([{ id: getId(answer), status: 'rejected', httpStatus: 404 }])
  },
)

rule('Requests and usage', 'An incomplete request of a client that disconnected is not listed', async () => {
  const { id, secret } = await newKey()
  const { host, port } = new URL(tollgate.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // Its body is being read.
  await once(socket, 'data')
  socket.destroy()
  const next = await tollgate.chat({ model: 'unknown-model' }, { as: secret })
  expect((await listRows(id)).map((row) => row.id)).toEqual([getId(next)])
})

rule('Requests and usage', 'A rejected row contains only the model’s name of the body', async () => {
  const { id, secret } = await newKey()
  const prompt = 'the confidential prompt'
  for (const body of [
    `{"model":"m","messages":[{"role":"user","content":"${prompt}`,
    `{"model":"m","messages":[{"role":"${prompt}","content":"x"}]}`,
    `{"model":"m","messages":[{"role":"user","content":"x"}],"x":${prompt}}`,
    `${prompt}`,
  ]) {
    await tollgate.call('POST', '/v1/chat/completions', { as: secret, body })
  }
  await tollgate.call('GET', `/v1/search?q=${encodeURIComponent(prompt)}`, { as: secret })
  await tollgate.chat({ model: 'x'.repeat(1_000_000) }, { as: secret })
  await tollgate.chat({ model: secret }, { as: secret })
  const text = JSON.stringify(await listRows(id))
  expect(text.length).toBeLessThan(8_000)
  expect(text).not.toMatch(/confidential prompt|tg-/)
})

rule(
  'Requests and usage',
  'Requests without a valid key and management operations are not listed',
  async () => {
    const reader = await newKey({ scope: 'read-only' })
    await tollgate.call('POST', '/v1/batches', { as: '' })
    await tollgate.call('POST', '/v1/batches', { as: `tg-${'x'.repeat(43)}` })
    await tollgate.call('POST', '/v1/keys', { body: { name: 1 } })
    await tollgate.call('GET', '/v1/keys', { as: reader.secret })
    await tollgate.call('GET', '/v1/requests/req_none')
    expect(await listRows(reader.id)).toEqual([])
    const all: RequestRecord[] = (await query('status=rejected&limit=500')).data
    expect(all.filter(({ keyName }) => keyName !== 'tool')).toEqual([])
    const scope = await tollgate.chat({}, { as: reader.secret })
    expect(scope.status).toBe(403)
    expect(await listRows(reader.id)).toMatchObject([
      { id: getId(scope), status: 'rejected', httpStatus: 403 },
    ])
  },
)
