// Requests that a plan pays for: the sign-in that comes with them goes to its vendor, and nowhere else.

import { expect, test } from 'vitest'
import { everyBlock, everyEvent } from '../../../gateway/request/testing/anthropic-events.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startPlanVendors } from '../../../gateway/upstream/testing/plan-vendors.ts'
import { startTestUpstream, type TestHandler } from '../../../gateway/upstream/testing/test-upstream.ts'

const TOKEN = 'sk-ant-oat01-canary-4711-canary'
const JWT = 'eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOjQ3MTF9.'
const WINDOWS = {
  'anthropic-ratelimit-unified-status': 'allowed',
  'anthropic-ratelimit-unified-5h-utilization': '0.42',
  'request-id': 'req_of_the_vendor',
}

let handler: TestHandler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
const vendors = await forFile(startPlanVendors((exchange) => handler(exchange)))
const elsewhere = await forFile(startTestUpstream((exchange) => exchange.reply(200, everyBlock)))
const gateway = await forFile(startTestGateway({ systemNetwork: vendors.systemNetwork }))
await gateway.call('PATCH', '/v1/settings', { body: { network: 'system', storeBodies: true } })
await gateway.addProvider('anthropic', elsewhere.url, ['claude-opus-5'], { apiFormat: 'anthropic-messages' })
for (const id of ['claude-plan', 'chatgpt-plan'])
  expect((await gateway.call('PUT', `/v1/providers/${id}`, { body: {} })).status).toBe(200)

const messages = [{ role: 'user', content: 'Hi' }]
const BODY = `{ "model":"claude-opus-5","max_tokens":5e2,"messages":${JSON.stringify(messages)},\n "system":[{"type":"text","text":"x"}],"unknown":{ } }`
const CLIENT = {
  authorization: `Bearer ${TOKEN}`,
  'user-agent': 'claude-cli/2.1.0 (external, cli)',
  'x-app': 'cli',
  'anthropic-beta': 'oauth-2025-04-20,a-1',
  'x-stainless-lang': 'js',
}
const send = (more: Record<string, string> = {}, { path = '/v1/messages', body = BODY as unknown } = {}) =>
  gateway.call('POST', path, {
    as: '',
    body,
    headers: { ...CLIENT, 'x-tollgate-key': gateway.admin, cookie: 'private=1', ...more },
  })
const lastRecord = async () => (await gateway.records())[0]

test('a request goes to its vendor byte for byte, with the query and the headers of the client', async () => {
  const { status, text, headers } = await send({}, { path: '/v1/messages?beta=true&x=%20' })
  expect([status, text]).toEqual([200, everyBlock])
  expect(Object.fromEntries(headers)).toMatchObject(WINDOWS)
  expect(vendors.hosts.at(-1)).toBe('api.anthropic.com:443')
  const sent = vendors.upstream.requests.at(-1)
  expect(sent).toMatchObject({ path: '/v1/messages?beta=true&x=%20', body: BODY })
  expect(sent?.headers).toMatchObject(CLIENT)
  for (const name of ['x-tollgate-key', 'cookie', 'traceparent', 'x-api-key'])
    expect(sent?.headers).not.toHaveProperty(name)
})

test('a plan has no list of models to read, and serves after an attempt to', async () => {
  expect((await gateway.call('POST', '/v1/providers/claude-plan/models')).json).toEqual({ data: [] })
  expect((await send()).status).toBe(200)
})

test('a stream has the events of the vendor, and no cost in them', async () => {
  handler = (exchange) =>
    exchange
      .begin({ 'content-type': 'text/event-stream', ...WINDOWS })
      .raw(everyEvent)
      .end()
  const body = BODY.replace('{ ', '{ "stream":true,')
  const { status, text, headers } = await send({}, { body })
  expect([status, text]).toEqual([200, everyEvent])
  expect(Object.fromEntries(headers)).toMatchObject(WINDOWS)
  handler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
})

test('it is charged nothing, and its worth is what the API would cost', async () => {
  await send()
  // Opus 5 costs 5 USD per million tokens of input, 0.5 from the cache, and 25 of output.
  const worthUsd = (600 * 5 + 400 * 0.5 + 200 * 25) / 1_000_000
  const record = await lastRecord()
  expect(record).toMatchObject({
    provider: 'claude-plan',
    status: 'succeeded',
    costUsd: 0,
    costStatus: 'plan',
    worthUsd,
    reservedUsd: 0,
  })
  const { json } = await gateway.call('GET', '/v1/usage?groupBy=provider&provider=claude-plan')
  const { requests, costUsd } = json.total
  expect([costUsd, json.total.worthUsd]).toEqual([0, Number((requests * worthUsd).toFixed(9))])
  const session = (await gateway.call('GET', `/v1/sessions/${record?.sessionId}`)).json
  expect(session).toMatchObject({ costUsd: 0, worthUsd: json.total.worthUsd })
  const receipt = (await gateway.call('GET', `/v1/requests/${record?.id}/receipt`)).json
  expect(receipt.cost).toMatchObject({ nano: 0, worthNano: Math.round(worthUsd * 1e9), status: 'plan' })
})

test('a spend limit does not count it, and the limits on requests and tokens do', async () => {
  const key = await gateway.createKey({ name: 'used up', scope: 'full', spendLimitUsd: 0, rpmLimit: 2 })
  const answers = [1, 2, 3].map(() => send({ 'x-tollgate-key': key.secret }).then(({ status }) => status))
  expect(key.secret).toBeDefined()
  expect((await Promise.all(answers)).sort()).toEqual([200, 200, 429])
  const used = await gateway.getKey(key.id)
  expect(used).toMatchObject({ spendUsd: 0 })
})

test('an error of the vendor comes back as it is, and is not tried again', async () => {
  const error = '{"type":"error",\n"error":{"type":"rate_limit_error","message":"Your limit resets at 4pm"}}'
  const before = vendors.upstream.requests.length
  for (const [status, more] of [
    [429, { 'retry-after': '7200', 'anthropic-ratelimit-unified-status': 'rejected' }],
    [401, {}],
    [529, { 'x-should-retry': 'true' }],
  ] as const) {
    handler = (exchange) => exchange.reply(status, error, more)
    const answer = await send()
    expect([answer.status, answer.text]).toEqual([status, error])
    expect(Object.fromEntries(answer.headers)).toMatchObject(more)
    expect(await lastRecord()).toMatchObject({ status: 'failed', costUsd: 0, costStatus: 'free' })
  }
  expect(vendors.upstream.requests.length - before).toBe(3)
  expect(elsewhere.requests).toEqual([])
  handler = (exchange) => exchange.reply(400, { type: 'error', error: { type: 'x', message: `no ${TOKEN}` } })
  expect((await send()).text).not.toContain(TOKEN)
  handler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
})

test('tokens are counted by the vendor, too', async () => {
  handler = (exchange) => exchange.reply(200, { input_tokens: 17 })
  const { json } = await send({}, { path: '/v1/messages/count_tokens' })
  expect(json).toEqual({ input_tokens: 17 })
  expect(vendors.upstream.requests.at(-1)).toMatchObject({ path: '/v1/messages/count_tokens', body: BODY })
  handler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
})

const CODEX = {
  authorization: `Bearer ${JWT}`,
  'chatgpt-account-id': 'acc_1',
  originator: 'codex_cli_rs',
  'user-agent': 'codex_cli_rs/0.160.0 (Debian; x86_64)',
}

test('Codex with a ChatGPT plan reaches ChatGPT’s own address', async () => {
  const answer = `{"id":"resp_1", "object":"response","created_at":1,"status":"completed","model":"gpt-5","output":[{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}],"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}`
  handler = (exchange) => exchange.reply(200, answer, { 'x-codex-primary-used-percent': '12.5' })
  const body = '{"model":"gpt-5", "input":"Hi","store":false,"previous_response_id":"resp_0"}'
  const { status, text, headers } = await send(CODEX, { path: '/v1/responses', body })
  expect([status, text]).toEqual([200, answer])
  expect(headers.get('x-codex-primary-used-percent')).toBe('12.5')
  expect(vendors.hosts.at(-1)).toBe('chatgpt.com:443')
  expect(vendors.upstream.requests.at(-1)).toMatchObject({ path: '/backend-api/codex/responses', body })
  expect(vendors.upstream.requests.at(-1)?.headers).toMatchObject(CODEX)
  expect(await lastRecord()).toMatchObject({ costStatus: 'plan', costUsd: 0, worthUsd: 0.0000625 })
  handler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
})

test('a sign-in that must not be passed on is refused, and nothing is sent', async () => {
  const calls = () => vendors.upstream.requests.length + elsewhere.requests.length
  const before = calls()
  const chat = JSON.stringify({ model: 'claude-opus-5', messages })
  const refused: readonly (readonly [Record<string, string>, { path?: string; body?: unknown }])[] = [
    [{ 'user-agent': 'curl/8.5' }, {}],
    [{ 'user-agent': 'my claude-cli/2' }, {}],
    [
      { ...CODEX, 'user-agent': 'python-httpx' },
      { path: '/v1/responses', body: '{"model":"gpt-5","input":"Hi"}' },
    ],
    [{}, { path: '/v1/chat/completions', body: chat }],
    [{}, { path: '/v1/responses', body: '{"model":"claude-opus-5","input":"Hi"}' }],
    [{}, { path: '/v1/embeddings', body: '{"model":"sandbox-embed","input":"Hi"}' }],
    [{ authorization: 'Bearer x', 'anthropic-beta': `a,${TOKEN}` }, {}],
    [{ authorization: 'Bearer x', 'x-api-key': TOKEN }, {}],
  ]
  for (const [headers, options] of refused) {
    const { status, json } = await send(headers, options)
    expect([status, json.error.message], JSON.stringify([headers, options])).toEqual([
      403,
      expect.stringMatching(/sign-in of a (Claude|ChatGPT) plan/),
    ])
  }
  expect(calls()).toBe(before)
})

test('the address, the headers and the credential of a plan cannot be changed', async () => {
  for (const body of [
    { baseUrl: elsewhere.url },
    { headers: { 'x-forward': '1' } },
    { credential: 'x' },
    { authorization: 'x-api-key' },
    { apiFormat: 'openai-chat' },
  ]) {
    const { status, json } = await gateway.call('PUT', '/v1/providers/claude-plan', { body })
    expect([status, json.error.param]).toEqual([400, Object.keys(body)[0]])
  }
  // A redirect is not followed.
  handler = (exchange) => exchange.reply(307, '', { location: elsewhere.url })
  expect((await send()).status).toBe(502)
  expect(elsewhere.requests).toEqual([])
  handler = (exchange) => exchange.reply(200, everyBlock, WINDOWS)
})

test('without the provider of the plan, or without the sign-in, it says what to do', async () => {
  const own = await gateway.call('POST', '/v1/messages', {
    body: { model: 'claude-plan/claude-opus-5', max_tokens: 10, messages },
  })
  expect([own.status, own.json.error.message]).toEqual([403, expect.stringContaining('Claude Code')])
  await gateway.call('PUT', '/v1/providers/claude-plan', { body: { enabled: false } })
  const { status, json } = await send()
  expect([status, json.error]).toMatchObject([
    403,
    { message: expect.stringContaining('add the provider "claude-plan"') },
  ])
  await gateway.call('PUT', '/v1/providers/claude-plan', { body: { enabled: true } })
})
