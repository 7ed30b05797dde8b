import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LiveEvent } from '../../../shared/api/events.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { nano } from '../../testing/money.ts'
import { startTestUpstream, type TestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'

let wall = Date.parse('2027-05-31T20:00:00Z')
let tollgate: TestGateway
let upstream: TestUpstream
let release = () => {}
/** Calls to the provider `mute` within one request. */
let muteCalls = 0
beforeEach(async () => {
  wall = Date.parse('2027-05-31T20:00:00Z')
  tollgate = await startTestGateway({ clock: { now: () => wall } })
  await tollgate.call('PATCH', '/v1/settings', { body: { timeZone: 'UTC' } })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // `mute` ends its first call without an answer, so that its outcome is unknown, and rejects the retry; `mine` answers when
  // released.
  upstream = await startTestUpstream(async (exchange) => {
    if (exchange.request.json().model === 'late') {
      await released
      return exchange.reply(200, testCompletion('at last'))
    }
    muteCalls += 1
    if (muteCalls % 2 === 0) exchange.reply(400, { error: { message: 'not again' } })
    else exchange.reset()
  })
  await tollgate.addProvider('mute', upstream.url, ['silent'])
  await tollgate.addProvider('mine', upstream.url, ['late'])
})
afterEach(async () => {
  release()
  await tollgate.close()
  await upstream.close()
})

const settle = (id: string, costUsd: unknown) =>
  tollgate.call('POST', `/v1/requests/${id}/settle`, { body: { costUsd } })
const usageBy = async (groupBy: string) =>
  (await tollgate.call('GET', `/v1/usage?groupBy=${groupBy}&timeZone=UTC`)).json

/** Makes a request of a new key, with a prompt of about 2,000 tokens and an unknown outcome. */
async function createUnsettled(
  spendLimitUsd: number | null = null,
): Promise<{ key: string; secret: string; record: RequestRecord }> {
  const { id: key, secret } = await tollgate.createKey({ name: 'asks', scope: 'full', spendLimitUsd })
  const messages = [{ role: 'user', content: 'word '.repeat(2000) }]
  muteCalls = 0
  await tollgate.chat({ model: 'silent', messages, max_tokens: 10 }, { as: secret })
  const [record] = await tollgate.records()
  if (record?.costStatus !== 'unsettled') throw new Error(`not unsettled: ${JSON.stringify(record)}`)
  return { key, secret, record }
}

it('corrects the request, its key, the account and all sums, and publishes the changes', async () => {
  const { key, record } = await createUnsettled()
  release()
  const other = await tollgate.chat({ model: 'late' })
  const otherCost = nano(other.json.usage.cost)
  const events: LiveEvent[] = []
  // Changes of sessions are collected for a while, so on a slow machine theirs comes before the end.
  tollgate.gateway.subscribe((event) => event.type !== 'session' && events.push(event))
  const answer = await settle(record.id, 0.000_123_456)
  expect(answer.status).toBe(200)
  expect(answer.json).toEqual({
    ...record,
    costUsd: 0.000_123_456,
    costStatus: 'confirmed',
    costLowUsd: null,
    costHighUsd: null,
  })
  expect(await tollgate.getRecord(record.id)).toEqual(answer.json)
  expect((await tollgate.getKey(key)).spendUsd).toBe(0.000_123_456)
  const { spendUsd, monthSpendUsd, todaySpendUsd } = await tollgate.getAccount()
  expect([spendUsd, monthSpendUsd, todaySpendUsd].map(nano)).toEqual(Array(3).fill(123_456 + otherCost))
  for (const groupBy of ['day', 'month', 'key', 'model', 'provider', 'client']) {
    expect(nano((await usageBy(groupBy)).total.costUsd)).toBe(123_456 + otherCost)
  }
  expect(events).toMatchObject([
    { type: 'request', request: { id: record.id, costStatus: 'confirmed' } },
    { type: 'key', key: { id: key, spendUsd: 0.000_123_456 } },
    { type: 'account', account: { spendUsd } },
  ])
})

it('applies one of several concurrent confirmations, and rejects a repeated one unless its answer is replayed', async () => {
  const { key, record } = await createUnsettled()
  const answers = await Promise.all([
    settle(record.id, 0.0001),
    settle(record.id, 0.0002),
    settle(record.id, 0.0001),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  const applied = answers.find(({ status }) => status === 200)
  expect((await tollgate.getKey(key)).spendUsd).toBe(applied?.json.costUsd)
  expect((await tollgate.getAccount()).spendUsd).toBe(applied?.json.costUsd)
  expect((await settle(record.id, 0.0001)).json.error).toMatchObject({
    type: 'invalid_request_error',
    code: 'not_unsettled',
    message: expect.stringContaining('"confirmed"'),
  })
  const second = await createUnsettled()
  const settleOnce = () =>
    tollgate.call('POST', `/v1/requests/${second.record.id}/settle`, {
      body: { costUsd: 0 },
      headers: { 'idempotency-key': 'once' },
    })
  const first = await settleOnce()
  expect([first.status, (await settleOnce()).text]).toEqual([200, first.text])
  expect((await tollgate.getKey(second.key)).spendUsd).toBe(0)
})

it('does not change the current month and day when the request is from an earlier one', async () => {
  const { key, record } = await createUnsettled()
  wall = Date.parse('2027-06-02T08:00:00Z')
  release()
  const now = await tollgate.chat({ model: 'late' })
  expect((await settle(record.id, 0)).status).toBe(200)
  const { spendUsd, monthSpendUsd, todaySpendUsd } = await tollgate.getAccount()
  expect([spendUsd, monthSpendUsd, todaySpendUsd]).toEqual(Array(3).fill(now.json.usage.cost))
  expect((await tollgate.getKey(key)).spendUsd).toBe(0)
  const months = (await usageBy('month')).data
  expect(months.map(({ group, costUsd }: { group: string; costUsd: number }) => [group, costUsd])).toEqual([
    ['2027-05-01', 0],
    ['2027-06-01', now.json.usage.cost],
  ])
})

it('a key that had reached its cap can be used again', async () => {
  const { key, secret, record } = await createUnsettled(0.001)
  expect(record.costUsd).toBeGreaterThan(0.001)
  expect((await tollgate.chat({}, { as: secret })).status).toBe(402)
  await settle(record.id, 0.0005)
  expect((await tollgate.chat({}, { as: secret })).status).toBe(200)
  expect((await tollgate.getKey(key)).spendUsd).toBeLessThan(0.001)
})

it('admits a request that waits for the budget it releases', async () => {
  const { key, secret, record } = await createUnsettled(1)
  await tollgate.call('PATCH', `/v1/keys/${key}`, {
    body: { spendLimitUsd: (record.costHighUsd ?? 0) + 0.001 },
  })
  const running = tollgate.chat({ model: 'late', max_tokens: 1000 }, { as: secret })
  await expect
    .poll(async () => (await tollgate.getKey(key)).reservedUsd)
    .toBeGreaterThan((record.heldUsd ?? 0) + 0.001)
  const waiting = tollgate.chat({}, { as: secret })
  await tollgate.call('GET', '/v1/gateway')
  await settle(record.id, 0)
  const answer = await waiting
  expect(answer.status).toBe(200)
  const admitted = await tollgate.getRecord(answer.json.id)
  expect(admitted.timings.queueMs).toBeGreaterThan(0)
  expect((await tollgate.getKey(key)).reservedUsd).toBeGreaterThan(0)
  release()
  expect((await running).status).toBe(200)
})

it('rejects a cost outside the bounds, and names them', async () => {
  const { key, record } = await createUnsettled()
  const high = record.costHighUsd ?? 0
  const before = await tollgate.getKey(key)
  const above = await settle(record.id, high * 1.001)
  expect([above.status, above.json.error]).toMatchObject([
    400,
    {
      type: 'invalid_request_error',
      param: 'costUsd',
      message: expect.stringContaining(`between 0 and ${high}:`),
    },
  ])
  expect((await settle(record.id, 1e300)).json.error.param).toBe('costUsd')
  for (const costUsd of [-1, '0', null, undefined]) {
    expect((await settle(record.id, costUsd)).json.error).toMatchObject({ param: 'costUsd' })
  }
  expect((await settle('req_none', 0)).status).toBe(404)
  const { json } = await tollgate.chat({})
  expect((await settle(json.id, 0)).json.error).toMatchObject({ code: 'not_unsettled' })
  expect(await tollgate.getKey(key)).toEqual(before)
  expect((await settle(record.id, high)).json).toMatchObject({ costUsd: high, costStatus: 'confirmed' })
})

it('the receipt says that the cost was confirmed, when, and what it was before', async () => {
  const { record } = await createUnsettled()
  const receipt = async () => (await tollgate.call('GET', `/v1/requests/${record.id}/receipt`)).json
  const before = await receipt()
  expect(before.cost).toMatchObject({
    status: 'unsettled',
    nano: nano(record.costUsd),
    lowNano: nano(record.costLowUsd),
    highNano: nano(record.costHighUsd),
    confirmation: null,
  })
  wall += 60_000
  await settle(record.id, 0.000_5)
  const { cost } = await receipt()
  expect(cost).toMatchObject({ status: 'confirmed', nano: 500_000, otherNano: '500000', lowNano: null })
  expect(cost.confirmation).toEqual({
    at: new Date(wall).toISOString(),
    from: 'unsettled',
    beforeNano: nano(record.costUsd),
    lowNano: nano(record.costLowUsd),
    highNano: nano(record.costHighUsd),
    by: 'user',
  })
})
