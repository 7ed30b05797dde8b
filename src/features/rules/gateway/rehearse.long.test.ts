// A rule and a limit over as many requests as a busy month has.
import { expect, test } from 'vitest'
import { createFlatPrice } from '../../../gateway/models/catalog/price-bands.ts'
import { testOffer } from '../../../gateway/models/catalog/testing/offer.ts'
import { NOON } from '../../../gateway/store/testing/samples.ts'
import { tempStore } from '../../../gateway/store/testing/temp-store.ts'
import { RehearsalInput } from '../api/rehearsal.ts'
import { rehearse } from './rehearse.ts'

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

const price = (inputPerMillion: number) =>
  createFlatPrice(
    { inputPerMillion, outputPerMillion: 0 },
    { source: 'override', match: 'exact', asOf: null },
  )
const prices: Readonly<Record<string, number>> = { big: 10, small: 1 }
const offers = (id: string) => [testOffer({ id, price: price(prices[id] ?? 0) })]

test('a rule, and then a limit, is tried on 100,000 imported requests of 30 days, and the times are printed', async () => {
  const store = await tempStore()
  for (let first = 0; first < CALLS; first += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, index) => createCall(first + index))
    await store.write('importCalls', { tool: 'claude-code', calls, files: [], since: 0 })
  }
  const deps = {
    store,
    clock: { now: () => NOON, monotonic: () => 0 },
    keys: { all: () => [], get: () => null },
    account: { counters: { zone: 'Europe/Berlin' }, spendLimits: [] },
    catalog: { knows: () => true, route: (id: string) => ({ offers: offers(id) }) },
  }
  const tryOn = async (input: object) => {
    const started = process.cpuUsage()
    const findPlace = async () => ({ others: [], place: 0 })
    const rehearsal = await rehearse(RehearsalInput.parse(input), findPlace, deps as never)
    const { user, system } = process.cpuUsage(started)
    // docs/rules.md has the times of a quiet machine.
    process.stdout.write(
      `${Object.keys(input)}: ${Math.round((user + system) / 1_000)} ms of the processor\n`,
    )
    return rehearsal
  }
  const when = [
    { kind: 'caller', is: 'subagent' },
    { kind: 'tool', tools: ['Claude Code'] },
  ]
  const ofRule = await tryOn({ rule: { when, do: [{ kind: 'model', model: 'small' }] } })
  expect(ofRule).toMatchObject({ requests: CALLS, imported: CALLS, changed: CALLS / 2, unpriced: 0 })
  expect(ofRule.savedUsd).toBeCloseTo((CALLS / 2) * 0.009, 6)
  expect(ofRule.data[0]).toMatchObject({ requestId: null, askedModel: 'big', model: 'small' })
  // The days are in two months, and each has room for 2,000.
  const ofLimit = await tryOn({ limit: { usd: 20, per: 'month' } })
  expect(ofLimit).toMatchObject({ requests: CALLS, changed: CALLS - 4_000 })
  expect(ofLimit.data[0]?.importedSession).toMatch(/^s\d+$/)
}, 300_000)
