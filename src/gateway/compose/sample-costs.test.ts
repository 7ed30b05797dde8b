// The sandbox's costs are samples: they count against the caps and limits of keys, and in nothing that adds up real money.

import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

/** 1,000 tokens at $1 and 500 at $2 a million. */
const REAL_USD = 0.002
const sandbox = { model: 'sandbox-large', max_tokens: 50 }
const real = { model: 'm' }

const tollgate = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream(billing(1_000, 500)))
beforeEach(() => tollgate.addProvider('mine', upstream.url, ['m']))

const get = async (path: string) => (await tollgate.call('GET', path)).json
const patchAccount = (body: object) => tollgate.call('PATCH', '/v1/account', { body })

async function account() {
  const { spendUsd, monthSpendUsd, todaySpendUsd, reservedUsd } = await get('/v1/account')
  return { spendUsd, monthSpendUsd, todaySpendUsd, reservedUsd }
}

const totals = (usd: number) => ({ spendUsd: usd, monthSpendUsd: usd, todaySpendUsd: usd, reservedUsd: 0 })

test('totals have only what providers bill, also after a restart', async () => {
  await tollgate.chat(sandbox)
  expect(await account()).toEqual(totals(0))
  await tollgate.chat(real)
  await tollgate.chat({ ...sandbox, stream: true })
  expect(await account()).toEqual(totals(REAL_USD))
  await tollgate.restart()
  expect(await account()).toEqual(totals(REAL_USD))
})

test('usage counts the requests and tokens of the sandbox, but no cost, however it is grouped', async () => {
  await tollgate.chat(sandbox)
  await tollgate.chat(real)
  for (const group of ['hour', 'day', 'month', 'key', 'model', 'provider', 'client', 'session']) {
    const { total } = await get(`/v1/usage?groupBy=${group}`)
    expect([group, total.requests, total.costUsd]).toEqual([group, 2, REAL_USD])
  }
  const byModel: { group: string }[] = (await get('/v1/usage?groupBy=model')).data
  expect(byModel.map(({ group }) => group)).toEqual(['m', 'sandbox-large'])
  const from = new Date(Date.now() - 60_000).toISOString()
  for (const query of ['', '?q=req', '?status=succeeded', `?from=${from}`])
    expect(await get(`/v1/requests/totals${query}`)).toMatchObject({ requests: 2, costUsd: REAL_USD })
  expect((await get('/v1/requests/totals?provider=sandbox')).costUsd).toBe(0)
})

test('a record and its answer are marked, and have the sample cost', async () => {
  const { json, headers } = await tollgate.chat(sandbox)
  expect(json.usage.cost).toBeGreaterThan(0)
  expect(headers.get('x-tollgate-sample-cost')).toBe('true')
  expect(await get(`/v1/requests/${json.id}`)).toMatchObject({ sample: true, costUsd: json.usage.cost })
  const session = (await get('/v1/sessions')).data[0]
  expect([session.costUsd, session.sampleUsd]).toEqual([json.usage.cost, json.usage.cost])
  const streamed = await tollgate.openStream(sandbox)
  expect(streamed.headers.get('x-tollgate-sample-cost')).toBe('true')
  await streamed.text()
  const other = await tollgate.chat(real)
  expect(other.headers.get('x-tollgate-sample-cost')).toBeNull()
  expect(await get(`/v1/requests/${other.json.id}`)).toMatchObject({ sample: false })
})

test('no limit of the account stops or counts the sandbox, also after a restart', async () => {
  await tollgate.chat(real)
  const limits = [
    { usd: REAL_USD, per: 'day' },
    { usd: REAL_USD, per: 'week', window: 'rolling' },
    { usd: REAL_USD, per: 'session' },
    { usd: REAL_USD, per: 'lifetime', model: '*' },
  ]
  await patchAccount({ monthlyLimitUsd: REAL_USD, spendLimits: limits })
  const isAsBefore = async () => {
    for (const more of [{}, { stream: true }])
      expect(
        (await tollgate.chat({ ...sandbox, ...more }, { headers: { 'x-tollgate-session': 's' } })).status,
      ).toBe(200)
    const { spendLimits } = await get('/v1/account')
    const spent = spendLimits.map(({ spentUsd }: { spentUsd: number }) => spentUsd)
    expect([spent[0], spent[1], spent[3]]).toEqual([REAL_USD, REAL_USD, REAL_USD])
    expect((await tollgate.chat(real)).json.error.code).toBe('account_limit_reached')
  }
  await isAsBefore()
  await tollgate.restart()
  await isAsBefore()
})

test('the cap and the limits of a key count and stop the sandbox, also after a restart', async () => {
  const cost = (await tollgate.chat(sandbox)).json.usage.cost
  const limits = [
    { spendLimitUsd: cost },
    { spendLimits: [{ usd: cost, per: 'day' }] },
    { spendLimits: [{ usd: cost, per: 'day', window: 'rolling' }] },
    { spendLimits: [{ usd: cost, per: 'session' }] },
  ]
  const keys = await Promise.all(
    limits.map((limit) => tollgate.createKey({ name: 'limited', scope: 'full', ...limit })),
  )
  const ask = async () =>
    Promise.all(
      keys.map(async ({ secret }) => {
        const headers = { 'x-tollgate-session': 'same' }
        return (await tollgate.chat(sandbox, { as: secret, headers })).status
      }),
    )
  expect(await ask()).toEqual([200, 200, 200, 200])
  expect(await ask()).toEqual([402, 402, 402, 402])
  await tollgate.restart()
  expect(await ask()).toEqual([402, 402, 402, 402])
  expect(await account()).toEqual(totals(0))
})

test('a request that may fall back to the sandbox is under the limits of the account until that answers', async () => {
  upstream.handler = (exchange) => exchange.reply(404, { error: { message: 'no such model' } })
  await tollgate.call('PUT', '/v1/models/m', { body: { provider: 'mine', fallbacks: ['sandbox-small'] } })
  await patchAccount({ monthlyLimitUsd: 1 })
  const { status, json } = await tollgate.chat(real)
  expect([status, json.model]).toEqual([200, 'sandbox-small'])
  expect(await account()).toEqual(totals(0))
})

test('a rehearsal of the account’s limits leaves the sandbox out, one of a key does not', async () => {
  const { id, secret } = await tollgate.createKey({ name: 'tries', scope: 'full' })
  await tollgate.chat(sandbox, { as: secret })
  for (const per of ['day', 'lifetime', 'session']) {
    const count = async (keyId: string | null) => {
      const body = { limit: { usd: 0, per }, keyId }
      return (await tollgate.call('POST', '/v1/rehearse', { body })).json.changed
    }
    expect([await count(null), await count(id)]).toEqual([0, 1])
  }
})

test('the metrics have no cost of the sandbox, and the Estimator does not compare it', async () => {
  const metrics = async () => (await tollgate.call('GET', '/metrics')).text
  await metrics()
  await tollgate.chat(sandbox)
  expect(await metrics()).toMatch(/tollgate_requests_total\{.*provider="sandbox"/)
  expect(await metrics()).not.toMatch(/tollgate_cost_usd_total\{/)
  expect(await metrics()).toMatch(/tollgate_account_spend_usd 0\n/)
  await tollgate.chat(real)
  expect(await get('/v1/usage/reprice')).toMatchObject({ requests: 1, chargedUsd: REAL_USD })
})
