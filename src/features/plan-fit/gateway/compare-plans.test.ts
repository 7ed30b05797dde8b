import { expect, test } from 'vitest'
import { NOON, recordRequest, sampleKey } from '../../../gateway/store/testing/samples.ts'
import { tempStore } from '../../../gateway/store/testing/temp-store.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import { comparePlans } from './compare-plans.ts'
import { covers, PLAN_TABLE } from './plan-table.ts'

const DAY = 86_400_000
const NANO = 1e9

/** A call of an agent, so many days ago, that cost so many USD; null for an unknown price. */
const call = (daysAgo: number, model: string, usd: number | null) => ({
  ...{
    tool: 'claude-code' as const,
    identity: `${model} ${daysAgo} ${usd}`,
    createdAt: NOON - daysAgo * DAY,
  },
  ...{ model, provider: null, session: 's1', agent: null, project: null, branch: null, calls: 1 },
  ...{ input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1, reasoning: 0, webSearches: 0 },
  ...{ tier: null, isSplit: true, costNano: usd === null ? null : usd * NANO, priceOf: 'day' },
  ...{ answerId: null, content: null },
})

async function startWith(calls: readonly ReturnType<typeof call>[]) {
  const store = await tempStore()
  await store.write('importCalls', { tool: 'claude-code', calls, files: [], since: 0 })
  const read = (days = 30) => comparePlans(store, { now: NOON, days, timeZone: 'UTC' })
  return { store, read }
}

const daily = (days: number, model: string, usd: number) =>
  Array.from({ length: days }, (_, index) => call(index + 0.5, model, usd))

test('with less than 14 days of use there is no answer', async () => {
  const short = await startWith([call(13.9, 'claude-opus-5-5', 500), call(0.5, 'claude-opus-5-5', 500)])
  expect(await short.read()).toMatchObject({ dataDays: 13, neededDays: 14, best: null, plans: [] })
  const { read } = await startWith([call(14.1, 'claude-opus-5-5', 1), call(0.5, 'claude-opus-5-5', 1)])
  expect(await read()).toMatchObject({ dataDays: 14, best: 'api' })
  expect(await (await startWith([])).read()).toMatchObject({ dataDays: 0, apiUsd: 0, best: null })
})

test('own requests and imported calls are compared, by the month, with each plan that has a model of them', async () => {
  const { store, read } = await startWith(daily(30, 'claude-opus-5-5', 10))
  await store.write('insertKey', sampleKey('key_a'))
  const opened = { createdAt: NOON - 3 * DAY, keyId: 'key_a' }
  await recordRequest(store, 'req_1', opened, { model: 'gpt-6', provider: 'p', costNano: nanoUsd(30 * NANO) })
  await recordRequest(store, 'req_2', opened, {
    ...{ model: 'gpt-6', provider: 'p', costNano: null, costStatus: 'unknown' },
  })
  const { apiUsd, importedUsd, unpriced, best, plans } = await read()
  // Half a day is missing in the thirty.
  const perMonth = 30 / 29.5
  expect(apiUsd).toBeCloseTo(330 * perMonth, 1)
  expect([importedUsd, unpriced]).toEqual([expect.closeTo(300 * perMonth, 1), 1])
  const find = (id: string) => plans.find((plan) => plan.id === id)
  expect(find('google-ai-pro')).toBeUndefined()
  // 10 USD a day fit into the windows of Claude Pro, 30 USD of GPT remain for the API.
  expect(find('claude-pro')).toMatchObject({ beyondUsd: 0, totalUsd: expect.closeTo(20 + 30 * perMonth, 1) })
  expect(find('claude-pro')?.windows.map(({ length, fullDays }) => [length, fullDays])).toEqual([
    ['five-hours', []],
    ['week', []],
  ])
  // 15 USD of Copilot's credits are used up on the second day of the month.
  const pro = find('copilot-pro')
  expect(pro?.coveredUsd).toBeCloseTo(330 * perMonth, 1)
  expect(pro?.windows[0]?.fullDays.length).toBeGreaterThan(20)
  expect(best).toBe('claude-pro')
  expect(plans[0]?.id).toBe('claude-pro')
})

test('the worth of what a plan has paid for counts, and the sandbox does not', async () => {
  const { store, read } = await startWith([call(20, 'claude-opus-5-5', 0)])
  await store.write('insertKey', sampleKey('key_a'))
  const opened = { createdAt: NOON - 3 * DAY, keyId: 'key_a' }
  await recordRequest(store, 'req_1', opened, {
    ...{ model: 'claude-opus-5-5', provider: 'claude-plan', costNano: nanoUsd(0), costStatus: 'plan' },
    worthNano: nanoUsd(20 * NANO),
  })
  await recordRequest(store, 'req_2', opened, {
    ...{ model: 'sandbox-large', provider: 'sandbox', costNano: nanoUsd(5 * NANO) },
  })
  expect((await read()).apiUsd).toBeCloseTo(20 * 1.5, 1)
})

test('a plan with a window of which nothing is known has no total, and is never the best', async () => {
  const { read } = await startWith(daily(60, 'gemini-3-pro', 50))
  const { best, plans } = await read(90)
  const google = plans.filter(({ vendor }) => vendor === 'Google')
  expect(google.length).toBeGreaterThan(0)
  for (const { beyondUsd, totalUsd, windows } of google) {
    expect([beyondUsd, totalUsd]).toEqual([null, null])
    expect(windows.every(({ basis, peakUsd }) => basis === 'unpublished' && peakUsd >= 50)).toBe(true)
  }
  expect(google.map(({ id }) => id)).not.toContain(best)
})

test('every plan has a source with a date, and every allowance says what it is known from', () => {
  for (const { id, priceUsd, source, asOf, windows } of PLAN_TABLE) {
    expect([id, priceUsd > 0, source !== '', /^2026-\d\d-\d\d$/.test(asOf)]).toEqual([id, true, true, true])
    for (const window of windows) {
      expect([id, window.allowanceUsd === null]).toEqual([id, window.basis === 'unpublished'])
      expect([id, window.note.endsWith('.'), Number.isNaN(Date.parse(window.asOf))]).toEqual([
        id,
        true,
        false,
      ])
    }
  }
})

test.each([
  [
    'claude-pro',
    ['claude-opus-5-5', 'anthropic/claude-sonnet-5', 'us.anthropic.claude-opus-4-8-v1:0'],
    ['gpt-6'],
  ],
  [
    'chatgpt-plus',
    ['gpt-6.2-sol', 'openai/gpt-5.6-sol', 'o3', 'codex-auto-review'],
    ['gpt-oss-120b', 'claude-o1'],
  ],
  ['google-ai-pro', ['gemini-3-pro', 'models/gemini-3-flash'], ['gemma-3']],
])('%s can be used with the models of its vendor', (id, yes, no) => {
  const plan = PLAN_TABLE.find((row) => row.id === id)
  if (!plan) throw new Error(`no plan ${id}`)
  expect([...yes, ...no].filter((model) => covers(plan, model))).toEqual(yes)
})
