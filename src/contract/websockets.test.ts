// Responses over a WebSocket, as Codex and OpenAI's library use it. Each turn reports 1,000 tokens in and 200 out, at 1 and 2 USD
// per million: $0.0014.
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream, type TestExchange } from '../gateway/upstream/testing/test-upstream.ts'
import { listEvents } from '../gateway/upstream/testing/vendor-formats.ts'
import { startProgram } from './testing/program.ts'
import { rule, testSection } from './testing/rule.ts'
import { openTurns, refusedHandshake, type Turns } from './testing/turns.ts'

const test = testSection('Plans and agents')

const COST_USD = 0.0014
const USAGE = { input_tokens: 1000, output_tokens: 200, total_tokens: 1200 }

/** The events of the nth response. */
const createEvents = (nth: number) =>
  listEvents('openai-responses', {
    id: `resp_${nth}`,
    texts: [`Answer ${nth}`],
    usage: USAGE,
    model: 'turns',
  })

let begun = Promise.withResolvers<TestExchange>()
const upstream = await forFile(
  startTestUpstream((exchange) => {
    if (exchange.request.method === 'GET') return exchange.reply(200, { object: 'list', data: [] })
    const body = exchange.request.json()
    const events = createEvents(countCalls())
    exchange.begin()
    // A slow turn stops after its first words, until the test ends it.
    const sent = body.model === 'slow' ? events.slice(0, 4) : events
    exchange.events(...sent)
    if (body.model === 'slow') begun.resolve(exchange)
    else exchange.end()
  }),
)
const tollgate = await forFile(startProgram())
await tollgate.addProvider('vendor', upstream.url, [], { apiFormat: 'openai-responses' })
for (const id of ['turns', 'slow']) {
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  await tollgate.call('PUT', `/v1/models/${id}`, {
    body: { provider: 'vendor', pricing, maxOutputTokens: 1000 },
  })
}

const open = (secret = tollgate.admin) =>
  openTurns(tollgate.baseUrl, { authorization: `Bearer ${secret}`, 'user-agent': 'codex_exec/0.169.0' })
const createKey = (more: object = {}) =>
  tollgate.createKey({ name: 'turns', scope: 'completions-only', ...more })
const countCalls = () => upstream.requests.filter(({ method }) => method === 'POST').length
const lastSent = () => upstream.requests.at(-1)?.json()
const listRecords = async (keyId: string) =>
  (await tollgate.call('GET', `/v1/requests?key=${keyId}`)).json.data

async function startSlow(turns: Turns): Promise<TestExchange> {
  begun = Promise.withResolvers()
  turns.send({ type: 'response.create', model: 'slow', input: 'Hi' })
  const exchange = await begun.promise
  for (let at = 0; at < 4; at++) await turns.next()
  return exchange
}

test('Over a WebSocket, each turn is one request: its events are messages, recorded and charged as a stream', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  const events = await turns.create({
    model: 'turns',
    input: 'Hi',
    instructions: 'Be brief.',
    metadata: { n: '1' },
  })
  expect(lastSent()).toEqual({
    ...{ model: 'turns', input: 'Hi', instructions: 'Be brief.', metadata: { n: '1' } },
    stream: true,
  })
  const expected = createEvents(countCalls())
  expect(events.map(({ type }) => type)).toEqual(expected.map(({ type }) => type))
  expect(events.slice(0, -1)).toEqual(expected.slice(0, -1))
  expect(events.at(-1).response.usage).toEqual({ ...USAGE, cost: COST_USD })
  await turns.create({ model: 'turns', input: 'Hi' })
  const records = await listRecords(key.id)
  expect(records).toHaveLength(2)
  for (const record of records)
    expect(record).toMatchObject({
      ...{ endpoint: 'POST /v1/responses', status: 'succeeded', stream: true, costStatus: 'exact' },
      costUsd: COST_USD,
    })
  expect((await tollgate.getKey(key.id)).spendUsd).toBe(2 * COST_USD)
  turns.ws.close()
})

test('A turn continues the newest one of its connection, also if nothing is stored, and a prepared one', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  const prepared = await turns.create({ model: 'turns', input: 'One', store: false, generate: false })
  expect(prepared.map(({ type }) => type)).toEqual(['response.created', 'response.completed'])
  const continueWith = (id: string, input: unknown) =>
    turns.create({ model: 'turns', store: false, previous_response_id: id, input })
  const first = (await continueWith(prepared.at(-1).response.id, [])).at(-1).response
  const one = { type: 'message', role: 'user', content: 'One' }
  expect(lastSent()).toEqual({ model: 'turns', store: false, input: [one], stream: true })
  const result = { type: 'function_call_output', call_id: 'c', output: 'Two' }
  await continueWith(first.id, [result])
  expect(lastSent()?.input).toEqual([one, ...first.output, result])
  expect(await listRecords(key.id)).toHaveLength(2)
  // Another connection does not have it: the provider may.
  const other = await open(key.secret)
  await other.create({ model: 'turns', previous_response_id: first.id, input: 'Three' })
  expect(lastSent()).toMatchObject({ previous_response_id: first.id, input: 'Three' })
  turns.ws.close()
  other.ws.close()
})

test('A refused turn is an error event with status, and the connection stays open', async () => {
  const spent = await createKey({ spendLimitUsd: 0 })
  const limited = await createKey({ rpmLimit: 1 })
  const turns = await open(spent.secret)
  const before = countCalls()
  const [refused] = await turns.create({ model: 'turns', input: 'Hi' })
  expect(refused).toMatchObject({
    ...{ type: 'error', status: 402 },
    error: {
      type: 'insufficient_quota',
      code: expect.any(String),
      message: expect.stringMatching(/Raise it/),
    },
    headers: { 'x-should-retry': 'false' },
  })
  const [unknown] = await turns.create({ model: 'none', input: 'Hi' })
  expect([unknown.type, unknown.status, unknown.error.code]).toEqual(['error', 404, 'model_not_found'])
  expect(countCalls()).toBe(before)
  turns.ws.close()
  const often = await open(limited.secret)
  await often.create({ model: 'turns', input: 'Hi' })
  const [again] = await often.create({ model: 'turns', input: 'Hi' })
  expect([again.status, again.error.type]).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(again.headers['retry-after'])).toBeGreaterThan(0)
  await tollgate.call('DELETE', `/v1/keys/${limited.id}`)
  const [revoked] = await often.create({ model: 'turns', input: 'Hi' })
  expect([revoked.status, revoked.error.type]).toEqual([401, 'authentication_error'])
  often.ws.close()
})

test('A secret in what a turn adds is refused, and the conversation goes on without it', async () => {
  const blocking = await createKey({ secretsInPrompts: 'block' })
  const turns = await open(blocking.secret)
  const [, { response }] = (await turns.create({ model: 'turns', input: 'Hi' })).slice(-2)
  const next = { model: 'turns', previous_response_id: response.id }
  const output = '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'
  const [refused] = await turns.create({
    ...next,
    input: [{ type: 'message', role: 'user', content: output }],
  })
  expect([refused.status, refused.error.code]).toEqual([400, 'secret_in_prompt'])
  expect(refused.error.param).toMatch(/^input\[[1-9]\]$/)
  expect((await turns.create({ ...next, input: 'Go on' })).at(-1).type).toBe('response.completed')
  turns.ws.close()
})

test('A connection has one turn at a time, and what is no turn is an error event', async () => {
  const turns = await open()
  const exchange = await startSlow(turns)
  const [second] = await turns.create({ model: 'turns', input: 'Hi' })
  expect([second.status, second.error.code]).toEqual([400, 'response_in_progress'])
  exchange.raw(`data: ${JSON.stringify(createEvents(1).at(-1))}\n\n`).end()
  expect((await turns.next()).type).toBe('response.completed')
  for (const [sent, param] of [
    ['{"type":', undefined],
    ['[]', undefined],
    ['{"type":"session.update"}', 'type'],
    ['{"type":"response.create","stream_id":"a","model":"turns","input":"Hi"}', 'stream_id'],
  ] as const) {
    turns.send(sent)
    expect(await turns.next()).toMatchObject({
      type: 'error',
      status: 400,
      error: { type: 'invalid_request_error' },
    })
    if (param) turns.send(sent)
    if (param) expect((await turns.next()).error.param).toBe(param)
  }
  turns.send({ type: 'response.cancel' })
  expect((await turns.next()).error.code).toBe('no_response_in_progress')
  turns.ws.send(Buffer.from('{}'))
  expect(await turns.closed).toBe(1003)
})

test('A turn that is canceled, or whose client leaves, is charged for what had come', async () => {
  const key = await createKey()
  const turns = await open(key.secret)
  const canceled = await startSlow(turns)
  turns.send({ type: 'response.cancel' })
  expect((await turns.next()).error.code).toBe('response_canceled')
  await canceled.disconnected
  expect((await turns.create({ model: 'turns', input: 'Hi' })).at(-1).type).toBe('response.completed')
  const left = await startSlow(turns)
  turns.ws.terminate()
  await left.disconnected
  await expect.poll(async () => (await tollgate.getKey(key.id)).reservedUsd).toBe(0)
  const [last, complete, first] = await listRecords(key.id)
  expect(complete.costUsd).toBe(COST_USD)
  for (const record of [first, last]) {
    expect(record).toMatchObject({ status: 'canceled', costStatus: 'estimated' })
    expect(record.costUsd).toBeGreaterThan(0)
    expect(record.costUsd).toBeLessThan(COST_USD)
  }
  const { spendUsd } = await tollgate.getKey(key.id)
  expect(spendUsd).toBeCloseTo(COST_USD + first.costUsd + last.costUsd, 12)
})

test('A handshake passes the checks of a request, and a key has at most 16 connections', async () => {
  const { baseUrl } = tollgate
  const key = await createKey()
  const bearer = { authorization: `Bearer ${key.secret}` }
  const reader = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
  const answers = [
    await refusedHandshake(baseUrl, {}),
    await refusedHandshake(baseUrl, { authorization: 'Bearer tg-none' }),
    await refusedHandshake(baseUrl, { ...bearer, origin: 'https://evil.example' }),
    await refusedHandshake(baseUrl, { ...bearer, host: 'evil.example' }),
    await refusedHandshake(baseUrl, { authorization: `Bearer ${reader.secret}` }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 403, 403])
  for (const { json } of answers) expect(json.error.message).toMatch(/\w/)
  const all = await Promise.all(Array.from({ length: 16 }, () => open(key.secret)))
  const { status, json } = await refusedHandshake(baseUrl, bearer)
  expect([status, json.error.code]).toEqual([426, 'too_many_websockets'])
  for (const { ws } of all) ws.close()
  await Promise.all(all.map(({ closed }) => closed))
  const own = await openTurns(baseUrl, { 'x-tollgate-key': key.secret })
  expect((await own.create({ model: 'turns', input: 'Hi' })).at(-1).type).toBe('response.completed')
  own.ws.close()
})

test('A message above 32 MB closes the connection', async () => {
  const turns = await open()
  turns.ws.on('error', () => undefined)
  turns.send('x'.repeat(32 * 1024 * 1024 + 1))
  expect(await turns.closed).toBe(1009)
})

rule('Client libraries', 'openai: responses over its WebSocket client', async () => {
  const client = new OpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.admin })
  const ws = new ResponsesWS(client)
  const texts: string[] = []
  const ended = Promise.withResolvers<unknown>()
  ws.on('response.output_text.delta', ({ delta }) => texts.push(delta))
  ws.on('response.completed', ({ response }) => ended.resolve(response.usage))
  ws.on('error', ended.reject)
  ws.send({ type: 'response.create', model: 'turns', input: 'Hi' })
  expect(await ended.promise).toMatchObject({ ...USAGE, cost: COST_USD })
  expect(texts).toEqual([`Answer ${countCalls()}`])
  ws.close()
})

test('At the end of Tollgate, a connection closes with 1001 after its turn', async () => {
  const idle = await open()
  const turns = await open()
  const exchange = await startSlow(turns)
  const ended = tollgate.terminate()
  expect(await idle.closed).toBe(1001)
  exchange.raw(`data: ${JSON.stringify(createEvents(1).at(-1))}\n\n`).end()
  expect((await turns.next()).type).toBe('response.completed')
  expect(await turns.closed).toBe(1001)
  expect((await ended).code).toBe(0)
})
