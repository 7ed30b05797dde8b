import { expect, test } from 'vitest'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import { nanoUsd } from '../../shared/money/money.ts'
import type { Settlement, Store, UsageFilter } from './store.ts'
import { percentile, sumCounts, sumTimings } from './sums/timings.ts'
import { NOON, recordRequest } from './testing/samples.ts'
import { storeWithKeys } from './testing/temp-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Requests over three days: every fifth fails, every seventh has no price, every third reads 4 tokens from a cache. */
async function filled(): Promise<Store> {
  const store = await storeWithKeys('key_a', 'key_b')
  await Promise.all(
    Array.from({ length: 210 }, (_, i) => {
      const settled: Partial<Settlement> = {
        model: `model-${i % 3}`,
        provider: i % 2 === 0 ? 'p' : 'q',
        status: i % 5 === 0 ? 'failed' : 'succeeded',
        totalMs: 100 + i,
        firstByteMs: 10 + i,
        ...(i % 7 === 0 ? { costNano: null, costStatus: 'unknown' } : { costNano: nanoUsd(100) }),
        ...(i % 3 === 0 ? { usage: { ...NO_USAGE, input: 6, cacheRead: 4, output: 5 } } : {}),
      }
      const opened = {
        createdAt: NOON - 2 * DAY_MS + i * 1_234_567,
        keyId: i % 4 === 0 ? 'key_a' : 'key_b',
        client: i % 6 === 0 ? null : `curl/8.${i % 2}`,
      }
      return recordRequest(store, `req_${i}`, opened, settled)
    }),
  )
  return store
}

const ranges: Pick<UsageFilter, 'from' | 'to'>[] = [
  {},
  // Minutes of single rows at both ends.
  { from: NOON - 2 * DAY_MS + 1, to: NOON - 2 * DAY_MS + 209 * 1_234_567 + 1 },
  { from: NOON, to: NOON + 7 * 60_000 },
]

test('errors, unknown costs and tokens from a cache are counted, in rows and in sums', async () => {
  const store = await filled()
  for (const range of ranges) {
    const inside = Array.from({ length: 210 }, (_, i) => i).filter((i) => {
      const at = NOON - 2 * DAY_MS + i * 1_234_567
      return at >= (range.from ?? 0) && at < (range.to ?? Number.POSITIVE_INFINITY)
    })
    const count = (every: number) => inside.filter((i) => i % every === 0).length
    for (const groupBy of ['hour', 'day', 'model'] as const) {
      const rows = await store.read('usage', { ...range, groupBy, timeZone: 'Europe/Berlin' })
      const total = (name: 'requests' | 'errors' | 'unpriced' | 'tokensCached') =>
        rows.reduce((sum, row) => sum + row[name], 0)
      expect(total('requests')).toBe(inside.length)
      expect(total('errors')).toBe(count(5))
      expect(total('unpriced')).toBe(count(7))
      expect(total('tokensCached')).toBe(count(3) * 4)
    }
  }
})

test('each filter selects its part, and filters combine', async () => {
  const store = await filled()
  for (const range of ranges) {
    const read = (filter: Partial<UsageFilter>) =>
      store.read('usage', { ...range, groupBy: 'key', timeZone: 'UTC', ...filter })
    for (const groupBy of ['key', 'model', 'provider', 'client'] as const) {
      const all = await read({ groupBy })
      for (const { group, ...sums } of all)
        expect(await read({ groupBy, where: { [groupBy]: group } })).toEqual([{ group, ...sums }])
      expect(await read({ groupBy, where: { [groupBy]: 'none' } })).toEqual([])
    }
    const split = await read({ groupBy: 'model', splitBy: 'client' })
    for (const { group, split: client, requests } of split) {
      const found = await read({ groupBy: 'day', where: { model: group, client: client ?? '' } })
      expect(found.reduce((sum, row) => sum + row.requests, 0)).toBe(requests)
    }
  }
})

test('histograms have the durations of the requests that succeeded', async () => {
  const store = await filled()
  await store.write('setRollupTimeZone', 'Asia/Tokyo')
  for (const range of ranges.slice(0, 2)) {
    const rows = await store.read('usage', { ...range, groupBy: 'hour', timeZone: 'UTC', timings: true })
    const { total, firstByte } = sumTimings(rows.map((row) => row.timings))
    expect(sumCounts(total)).toBe(rows.reduce((sum, row) => sum + row.requests - row.errors, 0))
    expect(Math.abs((percentile(total, 0.5) ?? 0) / 205 - 1)).toBeLessThan(0.06)
    expect(Math.abs((percentile(firstByte, 0.5) ?? 0) / 115 - 1)).toBeLessThan(0.06)
    const [first] = await store.read('usage', { ...range, groupBy: 'hour', timeZone: 'UTC' })
    expect(first).not.toHaveProperty('timings')
  }
})

test('hours are named by their start in UTC', async () => {
  const store = await storeWithKeys('key_a')
  for (const [i, minutes] of [0, 14, 15, 74, 75].entries())
    await recordRequest(store, `req_${i}`, { createdAt: NOON + minutes * 60_000 })
  const rows = await store.read('usage', { groupBy: 'hour', timeZone: 'Asia/Kathmandu' })
  expect(rows.map(({ group, requests }) => [group, requests])).toEqual([
    ['2026-03-10T11:15:00.000Z', 2],
    ['2026-03-10T12:15:00.000Z', 2],
    ['2026-03-10T13:15:00.000Z', 1],
  ])
})
