import { afterAll, expect } from 'vitest'
import { dataOf } from '../gateway/testing/gateway.ts'
import { testChunk, testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../shared/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { fails, says, silence, startStage } from './testing/upstream.ts'

let tollgate = await startProgram()
const stage = await startStage(tollgate)
// Crowds below are about money, not about the plan's rates.
await tollgate.call('PATCH', '/v1/settings', {
  body: { planLimits: { 'pay-as-you-go': { requestsPerMinute: 100_000, tokensPerMinute: 1_000_000_000 } } },
})
afterAll(async () => {
  await tollgate.close()
  await stage.close()
})

const nano = (usd: number | null) => Math.round((usd ?? Number.NaN) * 1e9)
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
const keyOf = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json
const recordOf = async (id: string): Promise<RequestRecord> =>
  (await tollgate.call('GET', `/v1/requests/${id}`)).json
const latest = async () => {
  const [record] = (await tollgate.call('GET', '/v1/requests?limit=1')).json.data
  return record
}

rule('Charges', 'spendUsd equals the sum of the ledger exactly', async () => {
  const key = await tollgate.createKey({ name: 'exact', scope: 'full' })
  const bodies = Array.from({ length: 24 }, (_, at) => ({
    model: at % 3 === 0 ? 'sandbox-large' : 'sandbox-small',
    messages: [{ role: 'user', content: `Round ${at} [[sandbox:tokens ${7 + at}]]` }],
    stream: at % 2 === 0,
  }))
  await Promise.all(bodies.map((body) => tollgate.chat(body, { as: key.secret })))
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}&limit=500`)
  expect(json.data).toHaveLength(24)
  const ledger = sum(json.data.map((record: RequestRecord) => nano(record.costUsd)))
  expect(nano((await keyOf(key.id)).spendUsd)).toBe(ledger)
  const usage = (await tollgate.call('GET', '/v1/usage?groupBy=key')).json.data
  expect(nano(usage.find(({ group }: { group: string }) => group === key.id).costUsd)).toBe(ledger)
})

rule('Charges', 'Plain and streamed calls cost the same', async () => {
  const messages = [{ role: 'user', content: 'The very same question' }]
  const plain = await tollgate.chat({ messages })
  const streamed = await tollgate.chat({ messages, stream: true, stream_options: { include_usage: true } })
  expect(dataOf(streamed.text).at(-2).usage).toEqual(plain.json.usage)
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
  await stage.model('caches', (exchange) => exchange.reply(200, { ...testCompletion('x'), usage }), {
    pricing,
  })
  const { json } = await tollgate.chat({ model: 'caches' })
  expect(nano(json.usage.cost)).toBe(nano((100 * 10 + 900 * 1 + 50 * 20) / 1e6))
  expect((await recordOf(json.id)).usage).toMatchObject({
    input: 100,
    cacheRead: 900,
    output: 50,
    reasoning: 40,
  })
})

rule('Charges', 'A cost reported by the provider takes precedence', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20, cost: 0.123 }
  await stage.model('reports', (exchange) => exchange.reply(200, { ...testCompletion('x'), usage }))
  const { json, headers } = await tollgate.chat({ model: 'reports' })
  expect([json.usage.cost, headers.get('x-service-cost-usd')]).toEqual([0.123, '0.123000'])
  expect((await recordOf(json.id)).price?.reportedByProvider).toBe(true)
})

rule('Charges', 'Missing usage is estimated, charged and marked as estimated', async () => {
  await stage.model('uncounted', (exchange) => {
    if (exchange.request.json().stream !== true)
      return exchange.reply(200, { ...testCompletion('four words of text'), usage: undefined })
    exchange
      .begin()
      .data(testChunk({ content: 'four words of text' }), testChunk({}, 'stop'), '[DONE]')
      .end()
  })
  for (const stream of [false, true]) {
    const answer = await tollgate.chat({ model: 'uncounted', stream })
    const record = await recordOf(answer.headers.get('x-service-request-id') ?? '')
    expect(record).toMatchObject({ status: 'succeeded', costStatus: 'estimated', tokensOut: 5 })
    expect(record.costUsd).toBeGreaterThan(0)
  }
})

rule('Charges', 'An aborted stream is charged for what was consumed', async () => {
  await stage.model('long', (exchange) => {
    exchange.begin().data(testChunk({ content: 'some words that were already produced and sent' }))
  })
  const key = await tollgate.createKey({ name: 'hangs up', scope: 'full' })
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
  await expect.poll(async () => (await recordOf(id)).status).toBe('canceled')
  const record = await recordOf(id)
  expect(record).toMatchObject({ costStatus: 'estimated', tokensOut: 12 })
  expect(await keyOf(key.id)).toMatchObject({ spendUsd: record.costUsd, reservedUsd: 0 })
})

rule(
  'Charges',
  'A failure that was not billed upstream costs nothing, after any number of attempts',
  async () => {
    await stage.model('broken', fails(503))
    const answer = await tollgate.chat({ model: 'broken' })
    const record = await recordOf(answer.headers.get('x-service-request-id') ?? '')
    expect(record).toMatchObject({ costUsd: 0, costStatus: 'free', status: 'failed' })
    expect(record.attempts).toHaveLength(3)
  },
)

rule('Charges', 'A request is charged at most once, after any number of attempts', async () => {
  await stage.model('third-time', (exchange, nth) =>
    nth < 3 ? fails(500)(exchange, nth) : says('ok')(exchange, nth),
  )
  const key = await tollgate.createKey({ name: 'tried', scope: 'full' })
  const { json } = await tollgate.chat({ model: 'third-time' }, { as: key.secret })
  expect(nano((await keyOf(key.id)).spendUsd)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
  expect(nano(json.usage.cost)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
})

rule(
  'Caps',
  'Unknown price: a capped key gets 400 model_unpriced; without a cap the record shows cost unknown',
  async () => {
    await stage.model('mystery', says('hm'), { pricing: null })
    const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
    const { status, json } = await tollgate.chat({ model: 'mystery' }, { as: key.secret })
    expect([status, json.error.type, json.error.code]).toEqual([
      400,
      'invalid_request_error',
      'model_unpriced',
    ])
    const served = await tollgate.chat({ model: 'mystery' })
    expect(served.status).toBe(200)
    expect(await recordOf(served.json.id)).toMatchObject({ costUsd: null, costStatus: 'unknown' })
  },
)

rule('Caps', 'model_unpriced suggests a solution for the cap that applies', async () => {
  await stage.model('no-price', says('hm'), { pricing: null })
  const capped = (await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })).secret
  const uncapped = (await tollgate.createKey({ name: 'uncapped', scope: 'full' })).secret
  const advice = async (as: string) => (await tollgate.chat({ model: 'no-price' }, { as })).json.error.message
  const start = 'The price of "no-price" is not known, so '
  expect(await advice(capped)).toBe(
    `${start}the key's spend cap could not be kept. Set its price under Models, or use a key without a cap.`,
  )
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 1000 } })
  expect(await advice(uncapped)).toBe(
    `${start}the monthly limit could not be kept. Set its price under Models, or remove the monthly limit under Settings.`,
  )
  expect(await advice(capped)).toBe(
    `${start}neither the key's spend cap nor the monthly limit could be kept. Set its price under Models.`,
  )
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: null } })
})

rule('Caps', 'Local models have a price of 0: a capped key may use them', async () => {
  await tollgate.call('PUT', '/v1/providers/ollama', { body: { baseUrl: stage.url } })
  await stage.model('llama-local', says('free'), { provider: 'ollama', pricing: undefined })
  const key = await tollgate.createKey({ name: 'local', scope: 'full', spendLimitUsd: 1 })
  const { status, json, headers } = await tollgate.chat({ model: 'llama-local' }, { as: key.secret })
  expect([status, json.usage.cost, headers.get('x-service-cost-usd')]).toEqual([200, 0, '0.000000'])
  expect((await recordOf(json.id)).price?.origin.source).toBe('local')
})

rule('Caps', 'A key at its cap gets 402 and is not revoked; raising the cap restores it', async () => {
  const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.000001 })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(402)
  expect((await keyOf(key.id)).revokedAt).toBeNull()
  await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
})

rule('Caps', 'At the cap: 402 with code spend_limit_reached and x-should-retry: false', async () => {
  const key = await tollgate.createKey({ name: 'none', scope: 'completions-only', spendLimitUsd: 0 })
  const { status, json, headers } = await tollgate.chat({}, { as: key.secret })
  expect([status, json.error.code, headers.get('x-should-retry')]).toEqual([
    402,
    'spend_limit_reached',
    'false',
  ])
})

rule(
  'Caps',
  'A request reserves its worst case before the upstream call, shown as reservedUsd, and settles',
  async () => {
    const quiet = silence()
    await stage.model('reserving', quiet.part)
    const key = await tollgate.createKey({ name: 'reserves', scope: 'full', spendLimitUsd: 1 })
    const left = new AbortController()
    const call = tollgate
      .chat({ model: 'reserving', max_tokens: 1000 }, { as: key.secret, signal: left.signal })
      .catch(() => null)
    await quiet.asked
    const { reservedUsd } = await keyOf(key.id)
    expect(reservedUsd).toBeGreaterThanOrEqual((1000 * 2) / 1e6)
    const own = (await tollgate.call('GET', '/v1/key', { as: key.secret })).json
    expect(nano(own.remainingUsd)).toBe(1e9 - nano(reservedUsd))
    expect((await tollgate.call('GET', '/v1/account')).json.reservedUsd).toBeGreaterThanOrEqual(reservedUsd)
    left.abort()
    await call
    await expect.poll(async () => (await keyOf(key.id)).reservedUsd).toBe(0)
  },
)

rule('Caps', 'A request that only reservations block waits for them, in order', async () => {
  const release = Promise.withResolvers<void>()
  await stage.model('slow-one', async (exchange, nth) => {
    await release.promise
    says('done')(exchange, nth)
  })
  const key = await tollgate.createKey({ name: 'queues', scope: 'full', spendLimitUsd: 0.002 })
  const first = tollgate.chat({ model: 'slow-one', max_tokens: 1000 }, { as: key.secret })
  await expect.poll(async () => (await keyOf(key.id)).reservedUsd).toBeGreaterThan(0.002)
  const ended: number[] = []
  const waiting = [1, 2, 3].map(async (turn) => {
    const answer = await tollgate.chat(
      { messages: [{ role: 'user', content: `${turn}` }], max_tokens: 5 },
      { as: key.secret },
    )
    ended.push(turn)
    return answer.status
  })
  await expect.poll(async () => (await latest()).status).toBe('running')
  expect(ended).toEqual([])
  release.resolve()
  expect((await first).status).toBe(200)
  expect(await Promise.all(waiting)).toEqual([200, 200, 200])
})

/** 200 mixed requests at once on a key with room for `k`; some hang up, some are retried. */
async function crowd(k: number): Promise<void> {
  const price = (await tollgate.chat({ max_tokens: 20 })).json.usage.cost
  await stage.model('flaky', (exchange, nth) =>
    nth % 2 === 1 ? fails(500)(exchange, nth) : says('ok')(exchange, nth),
  )
  const limit = price * (k - 0.5)
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: limit })
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const signal = at % 10 === 9 ? AbortSignal.timeout(5 + (at % 40)) : undefined
      const body = { max_tokens: 20, stream: at % 2 === 0, model: at % 5 === 4 ? 'flaky' : 'sandbox-small' }
      const answer = await tollgate
        .chat(body, { as: key.secret, ...(signal ? { signal } : {}) })
        .catch(() => null)
      return answer?.status ?? 0
    }),
  )
  expect(statuses.filter((status) => ![0, 200, 402].includes(status))).toEqual([])
  expect(statuses.filter((status) => status === 402).length).toBeGreaterThan(0)
  await expect.poll(async () => (await keyOf(key.id)).reservedUsd).toBe(0)
  const { spendUsd } = await keyOf(key.id)
  const { data } = (await tollgate.call('GET', `/v1/requests?key=${key.id}&limit=500`)).json
  const costs: number[] = data.map((record: RequestRecord) => nano(record.costUsd))
  expect(nano(spendUsd)).toBe(sum(costs))
  expect(nano(spendUsd)).toBeGreaterThanOrEqual(nano(limit))
  expect(nano(spendUsd)).toBeLessThan(nano(limit) + Math.max(...costs))
}

rule(
  'Caps',
  '200 concurrent requests, plain, streamed, retried and aborted, exceed the cap by at most one',
  () => crowd(9),
)

rule(
  'Caps',
  'After a restart earlier spend counts, and concurrent requests exceed the cap by at most one',
  async () => {
    const key = await tollgate.createKey({ name: 'before', scope: 'full', spendLimitUsd: 0.000001 })
    await tollgate.chat({}, { as: key.secret })
    const spent = (await keyOf(key.id)).spendUsd
    await tollgate.terminate()
    tollgate = await startProgram(tollgate)
    expect((await keyOf(key.id)).spendUsd).toBe(spent)
    expect((await tollgate.chat({}, { as: key.secret })).status).toBe(402)
    await stage.follow(tollgate)
    await crowd(9)
  },
)

rule(
  'Charges',
  'Requests in flight at a crash are charged by estimate and unsettled with bounds',
  async () => {
    const quiet = silence()
    await stage.model('crashes', quiet.part)
    const key = await tollgate.createKey({ name: 'crash', scope: 'full', spendLimitUsd: 1 })
    const call = tollgate.chat({ model: 'crashes', max_tokens: 100 }, { as: key.secret }).catch(() => null)
    await quiet.asked
    await tollgate.kill()
    await call
    tollgate = await startProgram(tollgate)
    const record = await latest()
    expect(record).toMatchObject({ keyId: key.id, status: 'failed', costStatus: 'unsettled', costLowUsd: 0 })
    expect(record.costUsd).toBeGreaterThan(0)
    expect(record.costHighUsd).toBeGreaterThanOrEqual((100 * 2) / 1e6)
    expect(await keyOf(key.id)).toMatchObject({ spendUsd: record.costUsd, reservedUsd: 0 })
  },
)

rule(
  'Charges',
  'The user can settle an unsettled charge once, within its bounds; every total changes with it',
  async () => {
    const record: RequestRecord = (await tollgate.call('GET', '/v1/requests?costStatus=unsettled&limit=1'))
      .json.data[0]
    const settle = (costUsd: number) =>
      tollgate.call('POST', `/v1/requests/${record.id}/settle`, { body: { costUsd } })
    const spent = async () => ({
      key: nano((await keyOf(record.keyId)).spendUsd),
      account: nano((await tollgate.call('GET', '/v1/account')).json.spendUsd),
      month: nano((await tollgate.call('GET', '/v1/account')).json.monthSpendUsd),
      usage: nano((await tollgate.call('GET', '/v1/usage?groupBy=provider')).json.total.costUsd),
    })
    const before = await spent()
    const refused = await settle((record.costHighUsd ?? 0) + 1e-9)
    expect([refused.status, refused.json.error.param]).toEqual([400, 'costUsd'])
    expect(refused.json.error.message).toContain(String(record.costHighUsd))
    expect((await settle(0.000_017)).json).toMatchObject({ costUsd: 0.000_017, costStatus: 'confirmed' })
    const again = await settle(0.000_017)
    expect([again.status, again.json.error.code]).toEqual([400, 'not_unsettled'])
    const difference = 17_000 - nano(record.costUsd)
    expect(await spent()).toEqual({
      key: before.key + difference,
      account: before.account + difference,
      month: before.month + difference,
      usage: before.usage + difference,
    })
    await tollgate.terminate()
    tollgate = await startProgram(tollgate)
    expect(nano((await keyOf(record.keyId)).spendUsd)).toBe(17_000)
    expect(await recordOf(record.id)).toMatchObject({
      costUsd: 0.000_017,
      costLowUsd: null,
      costHighUsd: null,
    })
  },
)

rule('Caps', 'The playground’s key can be capped like any other', async () => {
  const headers = { 'x-tollgate-bill-to': 'playground' }
  expect((await tollgate.chat({}, { headers })).status).toBe(200)
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  const playground = data.find(({ name }: { name: string }) => name === 'Playground')
  expect(playground.spendUsd).toBeGreaterThan(0)
  await tollgate.call('PATCH', `/v1/keys/${playground.id}`, { body: { spendLimitUsd: 0 } })
  expect((await tollgate.chat({}, { headers })).status).toBe(402)
  const other = await tollgate.createKey({ name: 'not an admin', scope: 'full' })
  expect((await tollgate.chat({}, { headers, as: other.secret })).status).toBe(400)
})
