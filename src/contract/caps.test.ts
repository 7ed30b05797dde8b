import { afterAll, expect } from 'vitest'
import type { RequestRecord } from '../shared/api/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { fails, neverResponds, says, startScriptedUpstream } from './testing/upstream.ts'

let tollgate = await startProgram()
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
const listRecords = async (key: string, filter = ''): Promise<RequestRecord[]> =>
  (await tollgate.call('GET', `/v1/requests?key=${key}&limit=500${filter}`)).json.data
const latest = async () => {
  const [record] = (await tollgate.call('GET', '/v1/requests?limit=1')).json.data
  return record
}

rule(
  'Caps',
  'Unknown price: a capped key gets 400 model_unpriced; without a cap the record shows cost unknown',
  async () => {
    await upstream.model('mystery', says('hm'), { pricing: null })
    const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
    const { status, json } = await tollgate.chat({ model: 'mystery' }, { as: key.secret })
    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      type: 'invalid_request_error',
      code: 'model_unpriced',
      param: 'model',
    })
    const served = await tollgate.chat({ model: 'mystery' })
    expect([served.status, served.headers.get('x-service-cost-usd')]).toEqual([200, null])
    expect(await getRecord(served.json.id)).toMatchObject({ costUsd: null, costStatus: 'unknown' })
  },
)

rule(
  'Caps',
  'A tool, tier or mode without a known price: a capped key gets 400 model_unpriced with its param; without a cap the cost is not exact',
  async () => {
    await upstream.model('tools', says('hm'))
    const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
    const asked: [object, string][] = [
      [
        { tools: [{ type: 'function', function: { name: 'f' } }], web_search_options: {} },
        'web_search_options',
      ],
      [{ service_tier: 'priority' }, 'service_tier'],
      [{ service_tier: 'of-tomorrow' }, 'service_tier'],
    ]
    for (const [body, param] of asked) {
      const { status, json } = await tollgate.chat({ model: 'tools', ...body }, { as: key.secret })
      expect([status, json.error.code, json.error.param]).toEqual([400, 'model_unpriced', param])
      const served = await tollgate.chat({ model: 'tools', ...body })
      expect((await getRecord(served.json.id)).costStatus).toBe('estimated')
    }
  },
)

rule('Caps', 'model_unpriced suggests a solution for the cap that applies', async () => {
  await upstream.model('no-price', says('hm'), { pricing: null })
  const capped = (await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })).secret
  const uncapped = (await tollgate.createKey({ name: 'uncapped', scope: 'full' })).secret
  const advice = async (as: string) => (await tollgate.chat({ model: 'no-price' }, { as })).json.error.message
  const start = 'The price of "no-price" is not known, so '
  expect(await advice(capped)).toBe(
    `${start}the key's spend cap could not be enforced. Set its price under Models, or use a key without a cap.`,
  )
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 1000 } })
  expect(await advice(uncapped)).toBe(
    `${start}the monthly limit could not be enforced. Set its price under Models, or remove the monthly limit under Settings.`,
  )
  expect(await advice(capped)).toBe(
    `${start}neither the key's spend cap nor the monthly limit could be enforced. Set its price under Models.`,
  )
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: null } })
})

rule('Caps', 'Local models have a price of 0: a capped key may use them', async () => {
  await tollgate.call('PUT', '/v1/providers/ollama', { body: { baseUrl: upstream.url } })
  await upstream.model('llama-local', says('free'), { provider: 'ollama', pricing: undefined })
  const key = await tollgate.createKey({ name: 'local', scope: 'full', spendLimitUsd: 1 })
  const { status, json, headers } = await tollgate.chat({ model: 'llama-local' }, { as: key.secret })
  expect([status, json.usage.cost, headers.get('x-service-cost-usd')]).toEqual([200, 0, '0.000000'])
  expect((await getRecord(json.id)).price?.origin.source).toBe('local')
})

rule('Caps', 'A key at its cap gets 402 and is not revoked; raising the cap restores it', async () => {
  const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.000001 })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(402)
  expect((await getKey(key.id)).revokedAt).toBeNull()
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
  expect(json.error.message).toBe(
    'The lifetime cap of $0.00 of the key "none" is used up: $0.00 spent. Raise it in Tollgate to continue.',
  )
})

rule(
  'Caps',
  'A request reserves its worst case before the upstream call, shown as reservedUsd, and settles',
  async () => {
    const quiet = neverResponds()
    await upstream.model('reserving', quiet.handler)
    const key = await tollgate.createKey({ name: 'reserves', scope: 'full', spendLimitUsd: 1 })
    const left = new AbortController()
    const call = tollgate
      .chat({ model: 'reserving', max_tokens: 1000 }, { as: key.secret, signal: left.signal })
      .catch(() => null)
    await quiet.received
    const { reservedUsd } = await getKey(key.id)
    expect(reservedUsd).toBeGreaterThanOrEqual((1000 * 2) / 1e6)
    const own = (await tollgate.call('GET', '/v1/key', { as: key.secret })).json
    expect(nano(own.remainingUsd)).toBe(1e9 - nano(reservedUsd))
    expect((await tollgate.call('GET', '/v1/account')).json.reservedUsd).toBeGreaterThanOrEqual(reservedUsd)
    left.abort()
    await call
    await expect.poll(async () => (await latest()).status).toBe('canceled')
    // The provider may still bill the rest.
    const { costUsd, heldUsd } = await latest()
    expect(nano((await getKey(key.id)).reservedUsd)).toBe(nano(heldUsd))
    expect(nano(costUsd) + nano(heldUsd)).toBe(nano(reservedUsd))
  },
)

rule('Caps', 'A request that only reservations block waits for them, in order', async () => {
  const release = Promise.withResolvers<void>()
  await upstream.model('slow-one', async (exchange, nth) => {
    await release.promise
    says('done')(exchange, nth)
  })
  const key = await tollgate.createKey({ name: 'queues', scope: 'full', spendLimitUsd: 0.002 })
  const first = tollgate.chat({ model: 'slow-one', max_tokens: 1000 }, { as: key.secret })
  await expect.poll(async () => (await getKey(key.id)).reservedUsd).toBeGreaterThan(0.002)
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

/** 200 concurrent requests on a key whose cap allows `k`; some disconnect, some are retried. */
async function sendConcurrently(k: number): Promise<void> {
  const price = (await tollgate.chat({ max_tokens: 20 })).json.usage.cost
  await upstream.model('flaky', (exchange, nth) =>
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
  // 429: what is left is held for requests whose client left.
  expect(statuses.filter((status) => ![0, 200, 402, 429].includes(status))).toEqual([])
  expect(statuses.filter((status) => status === 402 || status === 429).length).toBeGreaterThan(0)
  await expect.poll(async () => (await listRecords(key.id, '&status=running')).length).toBe(0)
  const { spendUsd, reservedUsd } = await getKey(key.id)
  const data = await listRecords(key.id)
  const costs = data.map(({ costUsd }) => nano(costUsd))
  expect(nano(spendUsd)).toBe(sum(costs))
  expect(nano(reservedUsd)).toBe(sum(data.map(({ heldUsd }) => nano(heldUsd ?? 0))))
  expect(nano(spendUsd) + nano(reservedUsd)).toBeGreaterThanOrEqual(nano(limit))
  expect(nano(spendUsd)).toBeLessThan(nano(limit) + Math.max(...costs))
}

rule(
  'Caps',
  '200 concurrent requests, plain, streamed, retried and aborted, exceed the cap by at most one',
  () => sendConcurrently(9),
)

rule(
  'Caps',
  'After a restart earlier spend counts, and concurrent requests exceed the cap by at most one',
  async () => {
    const key = await tollgate.createKey({ name: 'before', scope: 'full', spendLimitUsd: 0.000001 })
    await tollgate.chat({}, { as: key.secret })
    const spent = (await getKey(key.id)).spendUsd
    await tollgate.terminate()
    tollgate = await startProgram(tollgate)
    expect((await getKey(key.id)).spendUsd).toBe(spent)
    expect((await tollgate.chat({}, { as: key.secret })).status).toBe(402)
    await upstream.follow(tollgate)
    await sendConcurrently(9)
  },
)

rule('Caps', 'The playground’s key can be capped like any other', async () => {
  const headers = { 'x-tollgate-bill-to': 'playground' }
  const first = await tollgate.chat({}, { headers })
  expect(first.status).toBe(200)
  expect((await tollgate.call('GET', `/v1/requests/${first.json.id}`)).json.client).toBe('Tollgate')
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  const playground = data.find(({ name }: { name: string }) => name === 'Playground')
  expect(playground.spendUsd).toBeGreaterThan(0)
  await tollgate.call('PATCH', `/v1/keys/${playground.id}`, { body: { spendLimitUsd: 0 } })
  expect((await tollgate.chat({}, { headers })).status).toBe(402)
  const other = await tollgate.createKey({ name: 'not an admin', scope: 'full' })
  expect((await tollgate.chat({}, { headers, as: other.secret })).status).toBe(400)
})
