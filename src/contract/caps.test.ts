import { expect } from 'vitest'
import { nano, sum } from '../gateway/testing/money.ts'
import { billing } from '../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { rule, testSection } from './testing/rule.ts'
import { fails, type ModelHandler, says, startForFile } from './testing/upstream.ts'

const test = testSection('Caps')

const { tollgate, upstream } = await startForFile({ rateLimits: false })

const listRecords = async (key: string, filter = ''): Promise<RequestRecord[]> =>
  (await tollgate.call('GET', `/v1/requests?key=${key}&limit=500${filter}`)).json.data

const latest = async () => {
  const [record] = (await tollgate.call('GET', '/v1/requests?limit=1')).json.data
  return record
}

test('Unknown price: a capped key gets 400 model_unpriced; without a cap the record shows cost unknown', async () => {
  await upstream.model('mystery', says('hm'), { pricing: null })
  const key = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
  const { status, json } = await tollgate.chat({ model: 'mystery' }, { as: key.secret })
  expect(status).toBe(400)
  expect(json.error).toMatchObject({ type: 'invalid_request_error', code: 'model_unpriced', param: 'model' })
  const served = await tollgate.chat({ model: 'mystery' })
  expect([served.status, served.headers.get('x-service-cost-usd')]).toEqual([200, null])
  expect(await tollgate.getRecord(served.json.id)).toMatchObject({ costUsd: null, costStatus: 'unknown' })
})

test('model_unpriced suggests a solution for the cap that applies', async () => {
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

test('A key at its cap gets 402 spend_limit_reached with x-should-retry: false, and is not revoked; raising the cap restores it', async () => {
  const key = await tollgate.createKey({ name: 'none', scope: 'completions-only', spendLimitUsd: 0 })
  const { status, json, headers } = await tollgate.chat({}, { as: key.secret })
  expect([status, headers.get('x-should-retry')]).toEqual([402, 'false'])
  expect(json.error).toMatchObject({
    code: 'spend_limit_reached',
    message:
      'The lifetime cap of $0.00 of the key "none" is used up: $0.00 spent. Raise it in Tollgate to continue.',
  })
  expect((await tollgate.getKey(key.id)).revokedAt).toBeNull()
  await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
})

test('A request reserves its worst case before the upstream call, shown as reservedUsd, and settles', async () => {
  const key = await tollgate.createKey({ name: 'reserves', scope: 'full', spendLimitUsd: 1 })
  const call = await upstream.startUnanswered('reserving', { max_tokens: 1000 }, { as: key.secret })
  const { reservedUsd } = await tollgate.getKey(key.id)
  expect(reservedUsd).toBeGreaterThanOrEqual((1000 * 2) / 1e6)
  const own = (await tollgate.call('GET', '/v1/key', { as: key.secret })).json
  expect(nano(own.remainingUsd)).toBe(1e9 - nano(reservedUsd))
  expect((await tollgate.getAccount()).reservedUsd).toBeGreaterThanOrEqual(reservedUsd)
  await call.leave()
  await expect.poll(async () => (await latest()).status).toBe('canceled')
  // The provider may still bill the rest.
  const { costUsd, heldUsd } = await latest()
  expect(nano((await tollgate.getKey(key.id)).reservedUsd)).toBe(nano(heldUsd))
  expect(nano(costUsd) + nano(heldUsd)).toBe(nano(reservedUsd))
})

test('200 concurrent requests, plain, streamed, retried and aborted, exceed the cap by at most one, also after a restart, when earlier spend counts', async () => {
  const used = await tollgate.createKey({ name: 'before', scope: 'full', spendLimitUsd: 0.000001 })
  await tollgate.chat({}, { as: used.secret })
  const spent = (await tollgate.getKey(used.id)).spendUsd
  await tollgate.restart()
  expect((await tollgate.getKey(used.id)).spendUsd).toBe(spent)
  expect((await tollgate.chat({}, { as: used.secret })).status).toBe(402)
  await upstream.setCredential()
  const price = (await tollgate.chat({ max_tokens: 20 })).json.usage.cost
  await upstream.model('flaky', (exchange, nth) =>
    nth % 2 === 1 ? fails(500)(exchange, nth) : says('ok')(exchange, nth),
  )
  const limit = price * 8.5
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
  const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
  const data = await listRecords(key.id)
  const costs = data.map(({ costUsd }) => nano(costUsd))
  expect(nano(spendUsd)).toBe(sum(costs))
  expect(nano(reservedUsd)).toBe(sum(data.map(({ heldUsd }) => nano(heldUsd ?? 0))))
  expect(nano(spendUsd) + nano(reservedUsd)).toBeGreaterThanOrEqual(nano(limit))
  expect(nano(spendUsd)).toBeLessThan(nano(limit) + Math.max(...costs))
})

test('The playground’s key can be capped like any other', async () => {
  const headers = { 'x-tollgate-bill-to': 'playground' }
  const first = await tollgate.chat({}, { headers })
  expect(first.status).toBe(200)
  expect((await tollgate.getRecord(first.json.id)).client).toBe('Tollgate')
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  const playground = data.find(({ name }: { name: string }) => name === 'Playground')
  expect(playground.spendUsd).toBeGreaterThan(0)
  await tollgate.call('PATCH', `/v1/keys/${playground.id}`, { body: { spendLimitUsd: 0 } })
  expect((await tollgate.chat({}, { headers })).status).toBe(402)
  const other = await tollgate.createKey({ name: 'not an admin', scope: 'full' })
  expect((await tollgate.chat({}, { headers, as: other.secret })).status).toBe(400)
})

const PROMPT_TOKENS = 20

const strictKey = (spendLimitUsd: number) =>
  tollgate.createKey({ name: 'strict', scope: 'full', spendLimitUsd, strict: true })

/** The vendor's bill in nano-dollars, at 1 and 2 USD per million tokens. */
let billedNano = 0

/** Uses up the output limit of every request. */
const talksToTheLimit: ModelHandler = (exchange) => {
  const limit = Number(exchange.request.json().max_tokens)
  billedNano += (PROMPT_TOKENS + 2 * limit) * 1_000
  return billing(PROMPT_TOKENS, limit, {}, 'word '.repeat(9))(exchange)
}

await upstream.model('talker', talksToTheLimit)

test('The spend of a strict key never exceeds its cap, however many requests run at once', async () => {
  billedNano = 0
  const cap = 0.02
  const key = await strictKey(cap)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      tollgate.chat({ model: 'talker', max_tokens: 900, stream: index % 2 === 1 }, { as: key.secret }),
    ),
  )
  const statuses = new Set(answers.map(({ status }) => status))
  expect(statuses).toEqual(new Set([200, 402]))
  await expect.poll(async () => (await tollgate.getKey(key.id)).reservedUsd).toBe(0)
  expect(billedNano).toBeLessThanOrEqual(nano(cap))
  expect(nano((await tollgate.getKey(key.id)).spendUsd)).toBe(billedNano)
  // The rest does not pay for a useful answer.
  expect(billedNano).toBeGreaterThan(nano(cap) / 2)
})

test('A strict key shortens an answer to what fits, and X-Tollgate-Output-Limit says so', async () => {
  const key = await strictKey(0.0015)
  const { status, headers } = await tollgate.chat({ model: 'talker', max_tokens: 1000 }, { as: key.secret })
  expect(status).toBe(200)
  const sent = upstream.calls('talker').at(-1)?.json().max_tokens
  expect(sent).toBeGreaterThanOrEqual(256)
  expect(sent).toBeLessThan(1000)
  expect(headers.get('x-tollgate-output-limit')).toBe(String(sent))

  const ample = await strictKey(1)
  const whole = await tollgate.chat({ model: 'talker', max_tokens: 1000 }, { as: ample.secret })
  expect(whole.headers.get('x-tollgate-output-limit')).toBeNull()
  expect(upstream.calls('talker').at(-1)?.json().max_tokens).toBe(1000)
})

test('What does not fit under a strict key is 402 with what it needs and what is left', async () => {
  const key = await strictKey(0.0004)
  const before = upstream.calls('talker').length
  const { status, json, headers } = await tollgate.chat(
    { model: 'talker', max_tokens: 1000 },
    { as: key.secret },
  )
  expect([status, json.error.code]).toEqual([402, 'spend_limit_reached'])
  expect(headers.get('x-should-retry')).toBe('false')
  expect(json.error.message).toMatch(/^This request could cost up to \$0\.00\d+, and .* leaves \$0\.0004\./)
  expect(upstream.calls('talker')).toHaveLength(before)
})

test('While held amounts are all that is left of a cap, requests are 429 spend_held; under a strict key they are 402', async () => {
  const key = await tollgate.createKey({ name: 'normal', scope: 'full', spendLimitUsd: 1 })
  const call = await upstream.startUnanswered('leaves', { max_tokens: 1000 }, { as: key.secret })
  await call.leave()
  const left = async () =>
    (await tollgate.call('GET', `/v1/requests?key=${key.id}&costStatus=unsettled`)).json.data[0]
  await expect.poll(async () => (await left())?.heldUsd ?? 0).toBeGreaterThan(0)
  const { heldUsd, costUsd } = await left()
  const change = (body: object) => tollgate.call('PATCH', `/v1/keys/${key.id}`, { body })
  await change({ spendLimitUsd: heldUsd + costUsd })
  const held = await tollgate.chat({ model: 'talker' }, { as: key.secret })
  expect([held.status, held.json.error.code]).toEqual([429, 'spend_held'])
  expect(held.headers.get('x-should-retry')).toBe('false')
  await change({ strict: true })
  const refused = await tollgate.chat({ model: 'talker' }, { as: key.secret })
  expect([refused.status, refused.json.error.code]).toEqual([402, 'spend_limit_reached'])
  expect(refused.json.error.message).toContain('held for requests without an answer')
})

rule('Account', 'With strictLimits, the account’s limits are never exceeded by any key', async () => {
  billedNano = 0
  await tollgate.call('PATCH', '/v1/settings', { body: { strictLimits: true } })
  const { monthSpendUsd } = await tollgate.getAccount()
  const monthlyLimitUsd = monthSpendUsd + 0.01
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd } })
  const key = await tollgate.createKey({ name: 'normal', scope: 'full' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => tollgate.chat({ model: 'talker', max_tokens: 900 }, { as: key.secret })),
  )
  expect(answers.some(({ status }) => status === 402)).toBe(true)
  expect(billedNano).toBeLessThanOrEqual(nano(0.01))
  expect(billedNano).toBeGreaterThan(0)
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: null } })
  await tollgate.call('PATCH', '/v1/settings', { body: { strictLimits: false } })
})
