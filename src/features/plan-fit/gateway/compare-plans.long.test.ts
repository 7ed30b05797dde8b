import { expect, test } from 'vitest'
import { NOON } from '../../../gateway/store/testing/samples.ts'
import { tempStore } from '../../../gateway/store/testing/temp-store.ts'
import { comparePlans } from './compare-plans.ts'

const CALLS = 100_000
const BATCH = 1_000
const SPAN_MS = 89 * 86_400_000

const createCall = (nr: number) => ({
  ...{
    tool: 'claude-code' as const,
    identity: `call ${nr}`,
    createdAt: NOON - SPAN_MS + (nr * SPAN_MS) / CALLS,
  },
  ...{ model: `claude-${nr % 5}`, provider: null, session: `s${nr % 400}`, agent: null, project: null },
  ...{ branch: null, calls: 1, input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1 },
  ...{ reasoning: 0, webSearches: 0, tier: null, isSplit: true, costNano: 1e7, priceOf: 'day' },
  ...{ answerId: null, content: null },
})

test('100,000 calls of 90 days are compared with the plans in two seconds', async () => {
  const store = await tempStore()
  for (let first = 0; first < CALLS; first += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, index) => createCall(first + index))
    await store.write('importCalls', { tool: 'claude-code', calls, files: [], since: 0 })
  }
  const started = performance.now()
  const fit = await comparePlans(store, { now: NOON, days: 90, timeZone: 'Europe/Berlin' })
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(fit.apiUsd).toBeCloseTo((CALLS * 0.01 * 30) / 89, 0)
}, 300_000)
