import { describe, expect, test } from 'vitest'
import { nanoUsd } from '../../shared/money/money.ts'
import { dayName, daySpan, monthSpan, weekSpan } from '../../shared/values/calendar.ts'
import type { Store } from './store.ts'
import { recordRequest, spentIn } from './testing/samples.ts'
import { storeWithKeys } from './testing/temp-store.ts'

const at = (iso: string) => Date.parse(iso)

describe('in every time zone of the daily rollups', () => {
  const begin = at('2026-10-10T00:00:00Z')
  const made = Array.from({ length: 240 }, (_, i) => ({
    // At irregular times over five weeks, which include the end of summer time and the end of a month.
    createdAt: begin + ((i * 7_919_993) % 35_000) * 86_400 + (i % 7 === 0 ? 0 : i * 31),
    keyId: i % 3 === 0 ? 'key_a' : 'key_b',
    model: `model-${i % 4}`,
    costNano: i * 1001,
  }))

  async function filled(): Promise<Store> {
    const store = await storeWithKeys('key_a', 'key_b')
    await Promise.all(
      made.map(({ createdAt, keyId, model, costNano }, i) =>
        recordRequest(store, `req_${i}`, { createdAt, keyId }, { model, costNano: nanoUsd(costNano) }),
      ),
    )
    return store
  }

  const periods = [
    ['day', daySpan],
    ['week', weekSpan],
    ['month', monthSpan],
  ] as const
  const groupings = periods.flatMap(([groupBy, getPeriod]) =>
    ['Europe/Berlin', 'Pacific/Auckland'].map((timeZone) => ({
      groupBy,
      timeZone,
      requests: made.map((each) => ({
        ...each,
        group: dayName(getPeriod(each.createdAt, timeZone).start, timeZone),
      })),
    })),
  )
  const edges = [0, 1, 899_999, 900_000, 7_200_000, 86_400_000, 14 * 86_400_000 + 5, 27 * 86_400_000]

  test('every grouping of every range is the sum of its requests, to the nano-dollar', async () => {
    const store = await filled()
    for (const rollupZone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']) {
      await store.write('setRollupTimeZone', rollupZone)
      expect(await store.read('checkTotals')).toEqual([])
      for (const [i, edge] of edges.entries()) {
        const from = begin + edge
        const to = begin + 35 * 86_400_000 - (edges[(i * 3 + 1) % edges.length] ?? 0)
        const inside = made.filter(({ createdAt }) => createdAt >= from && createdAt < to)
        const spent = inside.reduce((sum, { costNano }) => sum + costNano, 0)
        expect(await spentIn(store, { start: from, end: to })).toEqual([spent])
        for (const { groupBy, timeZone, requests } of groupings) {
          const expected: Record<string, number> = {}
          for (const { createdAt, group, model, costNano } of requests) {
            if (createdAt < from || createdAt >= to) continue
            expected[`${group} ${model}`] = (expected[`${group} ${model}`] ?? 0) + costNano
          }
          const rows = await store.read('usage', { from, to, groupBy, splitBy: 'model', timeZone })
          expect(
            Object.fromEntries(rows.map(({ group, split, costNano }) => [`${group} ${split}`, costNano])),
          ).toEqual(expected)
          expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(inside.length)
          expect(rows.map(({ group }) => group)).toEqual(rows.map(({ group }) => group).sort())
        }
      }
    }
  })

  test('a split sums up to its groups', async () => {
    const store = await filled()
    await store.write('setRollupTimeZone', 'America/New_York')
    for (const groupBy of ['day', 'week', 'month', 'key', 'model', 'provider', 'client'] as const) {
      const range = { from: begin + 123_456_789, timeZone: 'America/New_York', groupBy }
      const groups = await store.read('usage', range)
      for (const splitBy of ['key', 'model', 'provider', 'client'] as const) {
        const whole = new Map<string, { costNano: number; requests: number; tokensIn: number }>()
        for (const row of await store.read('usage', { ...range, splitBy })) {
          const sum = whole.get(row.group) ?? { costNano: 0, requests: 0, tokensIn: 0 }
          sum.costNano += row.costNano
          sum.requests += row.requests
          sum.tokensIn += row.tokensIn
          whole.set(row.group, sum)
        }
        expect([...whole].map(([group, sum]) => ({ group, ...sum }))).toEqual(
          groups.map(({ group, costNano, requests, tokensIn }) => ({ group, costNano, requests, tokensIn })),
        )
      }
    }
  })

  test('charges after a change of the zone are added to its days', async () => {
    const store = await filled()
    expect(await store.write('setRollupTimeZone', 'Asia/Tokyo')).toBe(true)
    expect(await store.write('setRollupTimeZone', 'Asia/Tokyo')).toBe(false)
    const late = at('2026-12-01T15:30:00Z')
    await recordRequest(store, 'req_late', { createdAt: late }, { costNano: nanoUsd(5) })
    expect(await store.read('checkTotals')).toEqual([])
    const tokyo = { groupBy: 'day', timeZone: 'Asia/Tokyo', from: late - 40 * 60_000 } as const
    expect(await store.read('usage', tokyo)).toMatchObject([{ group: '2026-12-02', costNano: 5 }])
    const today = daySpan(late, 'Asia/Tokyo')
    expect(await spentIn(store, today)).toEqual([5])
  })

  test('the sums of days, weeks and months do not change by pruning', async () => {
    const store = await filled()
    await store.write('setRollupTimeZone', 'Europe/Berlin')
    const all = async () =>
      Promise.all(
        (['day', 'week', 'month'] as const).map((groupBy) =>
          store.read('usage', { groupBy, splitBy: 'key', timeZone: 'Europe/Berlin' }),
        ),
      )
    const before = await all()
    await store.write('pruneRequests', { before: begin + 30 * 86_400_000 })
    expect(await all()).toEqual(before)
    expect(await store.write('setRollupTimeZone', 'UTC')).toBe(true)
    expect(await all()).toEqual(before)
  })
})
