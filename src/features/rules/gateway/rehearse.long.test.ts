// A rule over as many requests as a busy month has.
import { expect, test } from 'vitest'
import { createFlatPrice } from '../../../gateway/models/catalog/price-bands.ts'
import { testOffer } from '../../../gateway/models/catalog/testing/offer.ts'
import { NOON } from '../../../gateway/store/testing/samples.ts'
import { tempStore } from '../../../gateway/store/testing/temp-store.ts'
import { RuleInput } from '../api/rules.ts'
import { rehearseRule } from './rehearse.ts'

const CALLS = 100_000
const BATCH = 1_000
const SPAN_MS = 29 * 86_400_000

const createCall = (nr: number) => ({
  ...{
    tool: 'claude-code' as const,
    identity: `call ${nr}`,
    createdAt: NOON - SPAN_MS + (nr * SPAN_MS) / CALLS,
  },
  ...{
    model: 'big',
    provider: null,
    session: `s${nr % 400}`,
    agent: nr % 2 === 0 ? 'a' : null,
    project: null,
  },
  ...{ branch: null, calls: 1, input: 1_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
  ...{ reasoning: 0, webSearches: 0, tier: null, isSplit: true, costNano: 1e7, priceOf: 'day' },
  ...{ answerId: null, content: null },
})

test('100,000 requests of 30 days are tried in two seconds of the processor', async () => {
  const store = await tempStore()
  for (let first = 0; first < CALLS; first += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, index) => createCall(first + index))
    await store.write('importCalls', { tool: 'claude-code', calls, files: [], since: 0 })
  }
  const price = (inputPerMillion: number) =>
    createFlatPrice(
      { inputPerMillion, outputPerMillion: 0 },
      { source: 'override', match: 'exact', asOf: null },
    )
  const prices: Readonly<Record<string, number>> = { big: 10, small: 1 }
  const offers = (id: string) => [testOffer({ id, price: price(prices[id] ?? 0) })]
  const deps = {
    store,
    clock: { now: () => NOON, monotonic: () => 0 },
    keys: { all: () => [], get: () => null },
    account: { counters: { zone: 'Europe/Berlin', totalNano: 0 }, spendLimits: [] },
    catalog: { knows: () => true, route: (id: string) => ({ offers: offers(id) }) },
  }
  const rule = RuleInput.parse({
    when: [{ kind: 'caller', is: 'subagent' }],
    do: [{ kind: 'model', model: 'small' }],
  })
  const started = process.cpuUsage()
  const rehearsal = await rehearseRule({ rule, days: 30 }, [], 0, deps as never)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1_000).toBeLessThan(2_000)
  expect(rehearsal).toMatchObject({ requests: CALLS, imported: CALLS, changed: CALLS / 2, unpriced: 0 })
  expect(rehearsal.savedUsd).toBeCloseTo((CALLS / 2) * 0.009, 6)
}, 300_000)
