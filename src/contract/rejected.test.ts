import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { type Answer, startTestGateway } from '../gateway/testing/gateway.ts'
import { forTest } from '../gateway/testing/lifetime.ts'
import { openLiveEvents } from '../gateway/testing/live-events.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { testSection } from './testing/rule.ts'
import { says, startForFile } from './testing/upstream.ts'

const test = testSection('Requests and usage')

const { tollgate, upstream } = await startForFile()

const getId = ({ headers }: Answer) => headers.get('x-service-request-id') ?? ''
const query = async (text: string) => (await tollgate.call('GET', `/v1/requests?${text}`)).json
const listRows = async (keyId: string): Promise<RequestRecord[]> => (await query(`key=${keyId}`)).data
const newKey = (more: object = {}) => tollgate.createKey({ name: 'tool', scope: 'full', ...more })

test('A request with a valid key that is rejected before admission is listed as rejected', async () => {
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
    [await post('/v1/threads', { model: 'm' }), 404, 'POST /v1/threads', null],
    [
      await post('/v1beta/models/gemini-x:generateContent?alt=sse', {}),
      ...([400, 'POST /v1beta/models/gemini-x:generateContent', 'gemini-x'] as const),
    ],
    [
      await post('/v1/models/acme/x:free:streamGenerateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }),
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
})

test('A reused Idempotency-Key is listed as rejected', async () => {
  const { id, secret } = await newKey()
  const once = { as: secret, headers: { 'idempotency-key': 'once' } }
  await tollgate.chat({}, once)
  const again = await tollgate.chat({ seed: 1 }, once)
  expect(await listRows(id)).toMatchObject([
    { id: getId(again), status: 'rejected', error: { code: 'idempotency_key_reused' } },
    { status: 'succeeded' },
  ])
})

test('A rejected request has no cost to settle and no bodies: 404', async () => {
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

test('An incomplete request of a client that disconnected is not listed', async () => {
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

test('A rejected row contains only the model’s name of the body', async () => {
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

test('Requests without a valid key and management operations are not listed', async () => {
  const reader = await newKey({ scope: 'read-only' })
  const listRejected = async () => (await query('status=rejected&limit=500')).data
  const before = await listRejected()
  await tollgate.call('POST', '/v1/threads', { as: '' })
  await tollgate.call('POST', '/v1/threads', { as: `tg-${'x'.repeat(43)}` })
  await tollgate.call('POST', '/v1/keys', { body: { name: 1 } })
  await tollgate.call('GET', '/v1/keys', { as: reader.secret })
  await tollgate.call('GET', '/v1/requests/req_none')
  expect(await listRows(reader.id)).toEqual([])
  expect(await listRejected()).toEqual(before)
  const scope = await tollgate.chat({}, { as: reader.secret })
  expect(scope.status).toBe(403)
  expect(await listRows(reader.id)).toMatchObject([{ id: getId(scope), status: 'rejected', httpStatus: 403 }])
})

test('Filters apply to rejected rows', async () => {
  const from = new Date().toISOString()
  const key = await newKey()
  const wrong = await tollgate.chat(
    { model: 'Unknown-Model' },
    { as: key.secret, headers: { 'user-agent': 'odd-tool/2' } },
  )
  await tollgate.chat({}, { as: key.secret })
  const found = async (text: string) =>
    (await query(`key=${key.id}&${text}`)).data.map(({ id }: RequestRecord) => id)
  const it = [getId(wrong)]
  expect(await found('status=rejected')).toEqual(it)
  expect(await found('status=404')).toEqual(it)
  expect(await found('status=400')).toEqual([])
  expect(await found('model=Unknown-Model')).toEqual(it)
  expect(await found('provider=sandbox')).not.toContain(it[0])
  expect(await found('q=unknown-model')).toEqual(it)
  expect(await found('q=ODD-tool')).toEqual(it)
  expect(await found('q=/v1/chat')).toHaveLength(2)
  expect(await found(`from=${from}`)).toHaveLength(2)
  expect(await found(`to=${from}`)).toEqual([])
  expect(await found('minCostUsd=0.000000001')).not.toContain(it[0])
  expect(await found('costStatus=free')).toEqual(it)
  expect(await found('costStatus=exact')).toHaveLength(1)
})

test('Pages contain ledger rows and rejected ones in one order, each once', async () => {
  const key = await newKey()
  const made: string[] = []
  for (let turn = 0; turn < 12; turn++) {
    const body = turn % 3 === 0 ? {} : { model: `wrong-${turn}` }
    made.push(getId(await tollgate.chat(body, { as: key.secret })))
  }
  const all = (await listRows(key.id)).map(({ id }) => id)
  expect(all.toSorted()).toEqual(made.toSorted())
  for (const limit of [1, 2, 5, 12]) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: RequestRecord[]; nextCursor: string | null } = await query(
        `key=${key.id}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
      )
      expect(page.data.length).toBeLessThanOrEqual(limit)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
      await tollgate.chat({ model: 'arrives-meanwhile' }, { as: tollgate.admin })
    }
    expect(seen).toEqual(all)
  }
})

test('A rejected request is a live event, and in no sum', async () => {
  const before = (await tollgate.call('GET', '/v1/usage')).json.total.requests
  const events = await openLiveEvents(tollgate)
  const key = await newKey()
  const calls = () => tollgate.call('POST', '/v1/messages', { as: key.secret })
  const first = getId(await calls())
  await calls()
  const parseRows = (text: string) =>
    [...text.matchAll(/event: request\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data ?? '').request)
  const text = await events.readUntil((read) =>
    parseRows(read).some(({ id, count }) => id === first && count === 2),
  )
  events.close()
  expect(parseRows(text)).toContainEqual(expect.objectContaining({ id: first, status: 'rejected' }))
  expect((await tollgate.call('GET', '/v1/usage')).json.total.requests).toBe(before)
})

test('The count of refused requests survives a restart and is in no sum', async () => {
  const fresh = await forTest(startTestGateway())
  const { id, secret } = await fresh.createKey({ name: 'slow', scope: 'full', rpmLimit: 1 })
  for (let turn = 0; turn < 5; turn++) await fresh.chat({}, { as: secret })
  await fresh.restart()
  const { data } = (await fresh.call('GET', `/v1/requests?key=${id}&status=429`)).json
  expect(data.map(({ count }: RequestRecord) => count)).toEqual([4])
  expect((await fresh.call('GET', '/v1/usage')).json.total.requests).toBe(1)
})
