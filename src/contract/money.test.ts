import { afterAll, expect } from 'vitest'
import { readData } from '../gateway/testing/gateway.ts'
import { testChunk, testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { fails, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
// The plan's rate limits are not what is tested here.
await tollgate.call('PATCH', '/v1/settings', {
  body: { planLimits: { 'pay-as-you-go': { requestsPerMinute: 100_000, tokensPerMinute: 1_000_000_000 } } },
})
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const nano = (usd: number | null) => Math.round((usd ?? Number.NaN) * 1e9)
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
const getKey = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json
const getRecord = async (id: string): Promise<RequestRecord> =>
  (await tollgate.call('GET', `/v1/requests/${id}`)).json

rule('Charges', 'spendUsd equals the sum of the ledger exactly', async () => {
  const key = await tollgate.createKey({ name: 'exact', scope: 'full' })
  const pricing = { inputPerMillion: 0.3, outputPerMillion: 0.7 }
  await upstream.model('small', says('few words'), { pricing })
  await upstream.model('large', says('few words'))
  const bodies = Array.from({ length: 24 }, (_, at) => ({
    model: at % 3 === 0 ? 'large' : 'small',
    stream: at % 2 === 0,
  }))
  await Promise.all(bodies.map((body) => tollgate.chat(body, { as: key.secret })))
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}&limit=500`)
  expect(json.data).toHaveLength(24)
  const ledger = sum(json.data.map((record: RequestRecord) => nano(record.costUsd)))
  expect(nano((await getKey(key.id)).spendUsd)).toBe(ledger)
  const usage = (await tollgate.call('GET', '/v1/usage?groupBy=key')).json.data
  expect(nano(usage.find(({ group }: { group: string }) => group === key.id).costUsd)).toBe(ledger)
})

rule('Charges', 'Plain and streamed calls cost the same', async () => {
  const messages = [{ role: 'user', content: 'The very same question' }]
  const plain = await tollgate.chat({ messages })
  const streamed = await tollgate.chat({ messages, stream: true, stream_options: { include_usage: true } })
  expect(readData(streamed.text).at(-2).usage).toEqual(plain.json.usage)
})

rule('Charges', 'Buckets are disjoint: cached and reasoning tokens are priced once', async () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 50,
    total_tokens: 1050,
    prompt_tokens_details: { cached_tokens: 900 },
    completion_tokens_details: { reasoning_tokens: 40 },
  }
  const pricing = { inputPerMillion: 10, outputPerMillion: 20, cacheReadPerMillion: 1 }
  await upstream.model('caches', (exchange) => exchange.reply(200, { ...testCompletion('x'), usage }), {
    pricing,
  })
  const { json } = await tollgate.chat({ model: 'caches' })
  expect(nano(json.usage.cost)).toBe(nano((100 * 10 + 900 * 1 + 50 * 20) / 1e6))
  expect((await getRecord(json.id)).usage).toMatchObject({
    input: 100,
    cacheRead: 900,
    output: 50,
    reasoning: 40,
  })
})

rule('Charges', 'A cost reported by the provider takes precedence', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20, cost: 0.0123 }
  await upstream.model('reports', (exchange) => exchange.reply(200, { ...testCompletion('x'), usage }))
  const { json, headers } = await tollgate.chat({ model: 'reports' })
  expect([json.usage.cost, headers.get('x-service-cost-usd')]).toEqual([0.0123, '0.012300'])
  expect((await getRecord(json.id)).price?.reportedByProvider).toBe(true)
})

rule('Charges', 'Missing usage is estimated, charged and marked as estimated', async () => {
  await upstream.model('uncounted', (exchange) => {
    if (exchange.request.json().stream !== true)
      return exchange.reply(200, { ...testCompletion('four words of text'), usage: undefined })
    exchange
      .begin()
      .data(testChunk({ content: 'four words of text' }), testChunk({}, 'stop'), '[DONE]')
      .end()
  })
  for (const stream of [false, true]) {
    const answer = await tollgate.chat({ model: 'uncounted', stream })
    const record = await getRecord(answer.headers.get('x-service-request-id') ?? '')
    expect(record).toMatchObject({ status: 'succeeded', costStatus: 'estimated', tokensOut: 5 })
    expect(record.costUsd).toBeGreaterThan(0)
  }
})

rule('Charges', 'An aborted stream is charged for what was consumed', async () => {
  let disconnected: Promise<void> | undefined
  await upstream.model('long', (exchange) => {
    disconnected = exchange.disconnected
    exchange.begin().data(testChunk({ content: 'some words that were already produced and sent' }))
  })
  const key = await tollgate.createKey({ name: 'disconnects', scope: 'full' })
  const left = new AbortController()
  const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'long', stream: true, messages: [{ role: 'user', content: 'Go on' }] }),
    signal: left.signal,
  })
  const id = response.headers.get('x-service-request-id') ?? ''
  await response.body?.getReader().read()
  left.abort()
  await disconnected
  await expect.poll(async () => (await getRecord(id)).status).toBe('canceled')
  const record = await getRecord(id)
  expect(record).toMatchObject({ costStatus: 'estimated', tokensOut: 12 })
  expect(await getKey(key.id)).toMatchObject({ spendUsd: record.costUsd, reservedUsd: 0 })
})

rule(
  'Charges',
  'A failure that was not billed upstream costs nothing, after any number of attempts',
  async () => {
    await upstream.model('broken', fails(503))
    const answer = await tollgate.chat({ model: 'broken' })
    const record = await getRecord(answer.headers.get('x-service-request-id') ?? '')
    expect(record).toMatchObject({ costUsd: 0, costStatus: 'free', status: 'failed' })
    expect(record.attempts).toHaveLength(3)
  },
)

rule('Charges', 'A request is charged at most once, after any number of attempts', async () => {
  await upstream.model('third-time', (exchange, nth) =>
    nth < 3 ? fails(500)(exchange, nth) : says('ok')(exchange, nth),
  )
  const key = await tollgate.createKey({ name: 'tried', scope: 'full' })
  const { json } = await tollgate.chat({ model: 'third-time' }, { as: key.secret })
  expect(nano((await getKey(key.id)).spendUsd)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
  expect(nano(json.usage.cost)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
})
