// The response cache of a key: which requests get a stored answer, what that costs, and what ends it.
import { beforeEach, describe, expect, test } from 'vitest'
import { queryDatabase } from '../../../gateway/store/testing/query-database.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import {
  startTestUpstream,
  testChunk,
  testCompletion,
} from '../../../gateway/upstream/testing/test-upstream.ts'

const PROMPT = 'How many owls fit into a pharmacy?'
const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 }
/** At the prices of `addProvider`. */
const COST = (1_000 * 1 + 10 * 2) / 1e6

let now = Date.parse('2026-11-25T12:00:00Z')
const clock = { now: () => now }
const gateway = await forFile(startTestGateway({ clock }))
let calls = 0
let finish = 'stop'
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const text = `Answer ${++calls}`
    if (exchange.request.path.endsWith('/embeddings')) {
      exchange.reply(200, { data: [], calls, usage: { prompt_tokens: 1, total_tokens: 1 } })
    } else if (exchange.request.json().stream) {
      const chunks = [testChunk({ content: text }), testChunk({}, finish)]
      exchange
        .begin()
        .data(...chunks, { ...testChunk({}), choices: [], usage }, '[DONE]')
        .end()
    } else {
      const message = { role: 'assistant', content: text }
      const choices = [{ index: 0, message, finish_reason: finish }]
      exchange.reply(200, { ...testCompletion(text), choices, usage })
    }
  }),
)
await gateway.addProvider('mine', `${upstream.url}/v1`, ['first', 'second'])

const RESPONSE_CACHE = { ttlSeconds: 60, maxBytes: 1_000_000 }
let key = await gateway.createKey({ name: 'tests', scope: 'full', responseCache: RESPONSE_CACHE })
beforeEach(async () => {
  finish = 'stop'
  key = await gateway.createKey({ name: 'tests', scope: 'full', responseCache: RESPONSE_CACHE })
})

interface Options {
  path?: string
  as?: string
  cache?: string
}

async function send(more: object = {}, { path, as = key.secret, cache }: Options = {}) {
  const body = { model: 'first', temperature: 0, messages: [{ role: 'user', content: PROMPT }], ...more }
  const headers: Record<string, string> = cache ? { 'x-tollgate-cache': cache } : {}
  const answer = await gateway.call('POST', path ?? '/v1/chat/completions', { as, body, headers })
  return { ...answer, cache: answer.headers.get('x-tollgate-cache') }
}

const patchKey = (body: object) => gateway.call('PATCH', `/v1/keys/${key.id}`, { body })

test('an equal request gets the stored answer as a request of its own, which costs nothing', async () => {
  const first = await send()
  expect([first.status, first.cache]).toEqual([200, 'miss'])
  now += 5_000
  const asked = calls
  const second = await send()
  expect([second.status, second.cache, calls]).toEqual([200, 'hit', asked])
  expect(second.json).toEqual({ ...first.json, usage: { ...first.json.usage, cost: 0 } })
  expect(Object.fromEntries(second.headers)).toMatchObject({
    age: '5',
    'x-service-cost-usd': '0.000000',
    'x-service-tokens-in': '0',
    'x-service-model': 'first',
    'content-type': 'application/json; charset=utf-8',
  })
  const id = second.headers.get('x-service-request-id')
  expect(id).not.toBe(first.headers.get('x-service-request-id'))
  expect(await gateway.getRecord(id)).toMatchObject({
    ...{ status: 'succeeded', costStatus: 'cached', costUsd: 0, savedUsd: COST },
    ...{ tokensIn: 0, tokensOut: 0, reservedUsd: 0, model: 'first', provider: 'mine' },
  })
  expect((await gateway.getKey(key.id)).spendUsd).toBe(COST)
  const mine = `key=${key.id}`
  const { total } = (await gateway.call('GET', `/v1/usage?groupBy=key&${mine}`)).json
  const totals = (await gateway.call('GET', `/v1/requests/totals?${mine}&costStatus=cached`)).json
  const [session] = (await gateway.call('GET', `/v1/sessions?${mine}`)).json.data
  for (const sums of [total, session])
    expect(sums).toMatchObject({ requests: 2, costUsd: COST, savedUsd: COST })
  expect(totals).toMatchObject({ requests: 1, costUsd: 0, savedUsd: COST })
  const receipt = (await gateway.call('GET', `/v1/requests/${id}/receipt`)).json
  expect(receipt.cost).toMatchObject({ status: 'cached', nano: 0, savedNano: 1_020_000 })
})

test('the order and spelling of members do not matter; any other difference does', async () => {
  await send()
  const message = `{ "content": "How many owls fit into a pharmac\\u0079?", "role": "user" }`
  const body = `{ "temperature": 0.0, "messages": [ ${message} ],\n "model": "first" }`
  const again = await gateway.call('POST', '/v1/chat/completions', { as: key.secret, body })
  expect(again.headers.get('x-tollgate-cache')).toBe('hit')
  for (const other of [
    { seed: 1 },
    { model: 'mine/first' },
    { model: 'second' },
    { max_tokens: 5 },
    { stream: true },
    { messages: [{ role: 'user', content: `${PROMPT} ` }] },
  ])
    expect((await send(other)).cache, JSON.stringify(other)).toBe('miss')
})

const SYSTEM = 'Be brief.'
const CLIENTS: Record<string, [path: string, body: object]> = {
  chat: ['/v1/chat/completions', { stream_options: { include_usage: true } }],
  messages: ['/v1/messages', { max_tokens: 100, system: SYSTEM }],
  responses: ['/v1/responses', { input: PROMPT, messages: undefined, store: false }],
  completions: [
    '/v1/completions',
    { prompt: PROMPT, messages: undefined, stream_options: { include_usage: true } },
  ],
}

describe.each(Object.entries(CLIENTS))('%s', (_name, [path, body]) => {
  test('a stream is repeated as a stream, with a cost of zero in it', async () => {
    const first = await send({ ...body, stream: true }, { path })
    const second = await send({ ...body, stream: true }, { path })
    expect([first.cache, second.cache, second.status]).toEqual(['miss', 'hit', 200])
    expect(second.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(first.text).toContain(`"cost":${COST}`)
    expect(second.text).toBe(first.text.replaceAll(`"cost":${COST}`, '"cost":0'))
  })
})

test('Gemini’s clients, whose model and stream are in the path, get their own answers', async () => {
  const body = { contents: [{ parts: [{ text: PROMPT }] }], generationConfig: { temperature: 0 } }
  const call = (method: string) => gateway.call('POST', `/v1beta/models/${method}`, { as: key.secret, body })
  const methods = ['first:generateContent', 'second:generateContent', 'first:streamGenerateContent']
  for (const method of [...methods, 'first:streamGenerateContent?alt=sse']) {
    const [first, second] = [await call(method), await call(method)]
    const states = [first, second].map(({ headers }) => headers.get('x-tollgate-cache'))
    expect([method, ...states]).toEqual([method, 'miss', 'hit'])
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  }
})

test('requests that act, refer to other ones or may differ each time are not looked up, and the header says why', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  for (const [reason, body, path] of [
    ['temperature', { temperature: 0.7 }],
    ['temperature', { temperature: undefined }],
    ['tools', { tools }],
    ['tools', { web_search_options: {} }],
    ['n', { n: 2 }],
    ['state', { store: true }],
    ['state', { input: PROMPT, messages: undefined }, '/v1/responses'],
    ['number', { seed: 2 ** 60 }],
    ['size', { user: 'x'.repeat(4 * 1024 * 1024) }],
  ] as const) {
    for (const _ of [1, 2]) {
      const { cache } = await send(body, path ? { path } : {})
      expect(cache, JSON.stringify(body).slice(0, 100)).toBe(`skip; reason=${reason}`)
    }
  }
})

test('a client asks for a stored answer, for a new one, or for none', async () => {
  const body = { temperature: 1 }
  expect((await send(body, { cache: 'use' })).cache).toBe('miss')
  expect((await send(body, { cache: 'use' })).cache).toBe('hit')
  expect((await send({}, { cache: 'bypass' })).cache).toBe('skip; reason=bypass')
  const fresh = await send(body, { cache: 'refresh' })
  expect(fresh.cache).toBe('miss')
  expect((await send(body, { cache: 'use' })).json.choices).toEqual(fresh.json.choices)
  const embed = () =>
    send(
      { input: PROMPT, messages: undefined, temperature: undefined },
      { path: '/v1/embeddings', cache: 'use' },
    )
  expect([(await embed()).cache, (await embed()).cache]).toEqual(['miss', 'hit'])
  const wrong = await send(body, { cache: 'always' })
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'X-Tollgate-Cache'])
  const other = await gateway.createKey({ name: 'without', scope: 'full' })
  expect((await send({}, { as: other.secret })).cache).toBeNull()
  expect((await send({}, { as: other.secret, cache: 'use' })).cache).toBe('skip; reason=off')
})

test('answers belong to one key, and neither they nor their prompts can be read from the database', async () => {
  await send()
  const other = await gateway.createKey({ name: 'other', scope: 'full', responseCache: RESPONSE_CACHE })
  expect((await send({}, { as: other.secret })).cache).toBe('miss')
  const rows = queryDatabase<{ id: Buffer; sealed: Buffer }>(
    gateway.dataDir,
    'SELECT id, sealed FROM cached_answers',
  )
  const equal = new Set(rows.map(({ id }) => id.toString('hex')))
  expect(equal.size).toBe(rows.length)
  for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toMatch(/Answer|owls/)
})

test('only complete answers are stored', async () => {
  const ask = async (body: object) => [(await send(body)).cache, (await send(body)).cache]
  for (const [reason, again] of [
    ['content_filter', 'miss'],
    ['tool_calls', 'miss'],
    ['length', 'hit'],
  ]) {
    finish = reason ?? ''
    expect([reason, ...(await ask({ max_tokens: 7, user: reason }))]).toEqual([reason, 'miss', again])
  }
  const sandbox = { model: 'sandbox-small' }
  const commands = ['filter', 'cut', 'no-usage'].map(async (command) => {
    const messages = [{ role: 'user', content: `[[sandbox:${command}]]` }]
    return await ask({ ...sandbox, stream: true, messages })
  })
  for (const caches of await Promise.all(commands)) expect(caches).toEqual(['miss', 'miss'])
  const messages = [{ role: 'user', content: '[[sandbox:error 400]]' }]
  for (const _ of [1, 2]) expect((await send({ ...sandbox, messages })).status).toBe(400)
})

test('a changed price, model, provider or setting begins again, and an old answer is not used', async () => {
  const asks = async () => (await send()).cache
  const pricing = { inputPerMillion: 3, outputPerMillion: 2 }
  const put = (path: string, body: object) => gateway.call('PUT', path, { body })
  const baseUrl = `${upstream.url}/v1`
  for (const change of [
    () => put('/v1/models/first', { provider: 'mine', pricing, maxOutputTokens: 1000 }),
    () => put('/v1/models/first', { provider: 'mine', pricing, maxOutputTokens: 900 }),
    () => put('/v1/providers/mine', { apiFormat: 'openai-chat', baseUrl, headers: { 'x-mode': 'b' } }),
    () => {
      now += 60_000
    },
  ]) {
    expect(await asks()).toBe('miss')
    expect(await asks()).toBe('hit')
    await change()
  }
  expect(await asks()).toBe('miss')
  await gateway.addProvider('mine', baseUrl, ['first', 'second'])
})

test('a cap that is reached does not stop a hit; a pause, a revocation and the rate limit do', async () => {
  await send()
  await patchKey({ spendLimitUsd: COST / 2 })
  expect((await send({ seed: 1 })).status).toBe(402)
  expect((await send()).cache).toBe('hit')
  await gateway.call('POST', `/v1/keys/${key.id}/pause`, { body: {} })
  expect((await send()).status).toBe(403)
  await gateway.call('POST', `/v1/keys/${key.id}/resume`)
  await patchKey({ rpmLimit: 2 })
  const limited = await send()
  expect([limited.status, limited.cache]).toEqual([429, null])
  await gateway.call('DELETE', `/v1/keys/${key.id}`)
  expect((await send()).status).toBe(401)
})

test('the space of a key is bounded, by what was not used for longest, and is free once the cache is off', async () => {
  const big = 'x'.repeat(20_000)
  await patchKey({ responseCache: { ttlSeconds: 60, maxBytes: 65_536 } })
  const ask = async (seed: number) => {
    now += 1
    return (
      await send({
        model: 'sandbox-small',
        seed,
        messages: [{ role: 'user', content: `[[sandbox:echo ${big}]]` }],
      })
    ).cache
  }
  expect([await ask(1), await ask(2), await ask(3), await ask(1)]).toEqual(['miss', 'miss', 'miss', 'hit'])
  expect([await ask(4), await ask(2), await ask(1)]).toEqual(['miss', 'miss', 'hit'])
  const bytes = () => {
    const read = (sql: string) => queryDatabase<{ bytes: number }>(gateway.dataDir, sql, key.id)[0]?.bytes
    const stored = read(
      'SELECT coalesce(sum(length(sealed)), 0) AS bytes FROM cached_answers WHERE key_id = ?',
    )
    const counted = read('SELECT bytes FROM cache_sizes WHERE key_id = ?')
    expect(counted).toBe(stored)
    return stored
  }
  expect(bytes()).toBeGreaterThan(40_000)
  expect(bytes()).toBeLessThanOrEqual(65_536)
  await patchKey({ responseCache: null })
  expect(bytes()).toBe(0)
})

test('it survives a restart, works with an Idempotency-Key, and stores the prompts of hits where that is on', async () => {
  await send()
  await gateway.restart()
  expect((await send()).cache).toBe('hit')
  await patchKey({ storeBodies: true })
  const repeat = () =>
    gateway.call('POST', '/v1/chat/completions', {
      as: key.secret,
      body: { model: 'first', temperature: 0, messages: [{ role: 'user', content: PROMPT }] },
      headers: { 'idempotency-key': 'one' },
    })
  const [first, second] = [await repeat(), await repeat()]
  expect(first.headers.get('x-tollgate-cache')).toBe('hit')
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.text).toBe(first.text)
  const id = first.headers.get('x-service-request-id')
  const bodies = (await gateway.call('GET', `/v1/requests/${id}/bodies`)).json
  expect(JSON.parse(bodies.request).messages[0].content).toBe(PROMPT)
  expect(bodies.response).toBe(first.text)
})
