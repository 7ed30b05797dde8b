import { expect } from 'vitest'
import { testSection } from './testing/rule.ts'
import { says, startForFile } from './testing/upstream.ts'

const test = testSection('Account')

const { tollgate, upstream } = await startForFile()
await upstream.model('billed', says('Hello'))
const billed = { model: 'billed', max_tokens: 20 }

const change = (body: object) => tollgate.call('PATCH', '/v1/account', { body })

test('GET /v1/account gives plan, spendUsd, monthSpendUsd, monthlyLimitUsd and the next reset', async () => {
  const { json } = await tollgate.chat(billed)
  expect(await tollgate.getAccount()).toMatchObject({
    plan: 'pay-as-you-go',
    spendUsd: json.usage.cost,
    monthSpendUsd: json.usage.cost,
    monthlyLimitUsd: null,
    monthResetsAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
})

test('PATCH sets plan and monthlyLimitUsd and rejects other fields', async () => {
  expect((await change({ monthlyLimitUsd: 5 })).json).toMatchObject({
    plan: 'pay-as-you-go',
    monthlyLimitUsd: 5,
  })
  expect((await change({ monthlyLimitUsd: null })).json.monthlyLimitUsd).toBeNull()
  for (const [body, param] of [
    [{ plan: 'gold' }, 'plan'],
    [{ monthlyLimitUsd: -1 }, 'monthlyLimitUsd'],
    [{ monthlyLimit: 1 }, 'monthlyLimit'],
  ] as const) {
    const { status, json } = await change(body)
    expect([status, json.error.param]).toEqual([400, param])
  }
})

test('402 at the monthly limit: code account_limit_reached, for every key', async () => {
  const { monthSpendUsd } = await tollgate.getAccount()
  await change({ monthlyLimitUsd: monthSpendUsd })
  const { status, json, headers } = await tollgate.chat(billed)
  expect([status, json.error]).toMatchObject([
    402,
    { type: 'insufficient_quota', code: 'account_limit_reached' },
  ])
  expect(headers.get('x-should-retry')).toBe('false')
  // The sandbox costs nothing that counts for the account.
  expect((await tollgate.chat({})).status).toBe(200)
  await change({ monthlyLimitUsd: null })
  expect((await tollgate.chat(billed)).status).toBe(200)
})

test('Plans are data: pay-as-you-go and bundle as specified', async () => {
  const { json } = await tollgate.call('GET', '/v1/plans')
  expect(json.data).toEqual([
    expect.objectContaining({
      id: 'pay-as-you-go',
      monthlyUsd: 0,
      discountPercent: 0,
      requestsPerMinute: 3_000,
      tokensPerMinute: 10_000_000,
    }),
    expect.objectContaining({
      id: 'bundle',
      monthlyUsd: 99,
      discountPercent: 20,
      requestsPerMinute: 10_000,
      tokensPerMinute: 30_000_000,
    }),
  ])
})

test('The account’s plan prices every request: the bundle takes 20% off', async () => {
  const full = (await tollgate.chat({})).json.usage
  await change({ plan: 'bundle' })
  const { json } = await tollgate.chat({})
  expect(json.usage.prompt_tokens).toBe(full.prompt_tokens)
  expect(Math.round(json.usage.cost * 1e9)).toBe(Math.round(full.cost * 0.8 * 1e9))
  const record = await tollgate.getRecord(json.id)
  expect(record.price).toMatchObject({ plan: 'bundle', discountPercent: 20 })
  await change({ plan: 'pay-as-you-go' })
})

test('Users can edit a plan’s limits in the settings', async () => {
  const planLimits = { 'pay-as-you-go': { requestsPerMinute: 7 } }
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits } })
  const { json } = await tollgate.call('GET', '/v1/plans')
  expect(json.data[0]).toMatchObject({ requestsPerMinute: 7, tokensPerMinute: 10_000_000 })
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits: {} } })
})
