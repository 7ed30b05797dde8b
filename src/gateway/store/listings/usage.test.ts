import { expect, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { Store, UsageFilter } from '../store.ts'
import { NOON, recordRequest } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

const at = (iso: string) => Date.parse(iso)

async function storeWith(requests: { at: string; nano: number }[]): Promise<Store> {
  const store = await storeWithKeys('key_a')
  await Promise.all(
    requests.map(({ at: createdAt, nano }, i) =>
      recordRequest(store, `req_${i}`, { createdAt: at(createdAt) }, { costNano: nanoUsd(nano) }),
    ),
  )
  return store
}

test('sums the days of a time zone, including those of 23 and 25 hours', async () => {
  const store = await storeWith([
    { at: '2026-03-28T22:59:59.999Z', nano: 1 },
    { at: '2026-03-28T23:00:00Z', nano: 10 },
    { at: '2026-03-29T21:59:59Z', nano: 100 },
    { at: '2026-03-29T22:00:00Z', nano: 1000 },
    { at: '2026-10-24T22:00:00Z', nano: 1 },
    { at: '2026-10-25T22:59:59Z', nano: 10 },
    { at: '2026-10-25T23:00:00Z', nano: 100 },
  ])
  const rows = await store.read('usage', { groupBy: 'day', timeZone: 'Europe/Berlin' })
  expect(rows.map(({ group, costNano }) => [group, costNano])).toEqual([
    ['2026-03-28', 1],
    ['2026-03-29', 110],
    ['2026-03-30', 1000],
    ['2026-10-25', 11],
    ['2026-10-26', 100],
  ])
})

test('supports time zones whose offset is not a whole hour', async () => {
  const store = await storeWith([
    { at: '2026-03-10T18:14:59Z', nano: 1 },
    { at: '2026-03-10T18:15:00Z', nano: 10 },
  ])
  const rows = await store.read('usage', { groupBy: 'day', timeZone: 'Asia/Kathmandu' })
  expect(rows).toMatchObject([
    { group: '2026-03-10', costNano: 1, requests: 1, tokensIn: 10, tokensOut: 5 },
    { group: '2026-03-11', costNano: 10 },
  ])
})

test('is exact to the millisecond at the edges of a range', async () => {
  const times = [0, 1, 899_999, 900_000, 1_800_000, 2_699_999, 2_700_000, 2_700_001]
  const store = await storeWith(
    times.map((offset, i) => ({ at: new Date(NOON + offset).toISOString(), nano: 10 ** i })),
  )
  for (const from of times) {
    for (const to of times) {
      const expected = times.reduce((sum, t, i) => (t >= from && t < to ? sum + 10 ** i : sum), 0)
      const range = { from: NOON + from, to: NOON + to }
      const rows = await store.read('usage', { ...range, groupBy: 'day', timeZone: 'UTC' })
      expect(rows.reduce((sum, row) => sum + row.costNano, 0)).toBe(expected)
    }
  }
})

test('orders other groups by cost', async () => {
  const store = await storeWithKeys('key_a', 'key_b')
  await recordRequest(
    store,
    'req_1',
    { keyId: 'key_a' },
    { costNano: nanoUsd(1), model: 'b', provider: null },
  )
  await recordRequest(store, 'req_2', { keyId: 'key_b' }, { costNano: nanoUsd(5), model: null })
  const groups = async (groupBy: 'key' | 'model' | 'provider', range = {}) =>
    (await store.read('usage', { groupBy, timeZone: 'UTC', ...range })).map((row) => row.group)
  for (const range of [{}, { from: NOON, to: NOON + 1 }]) {
    expect(await groups('key', range)).toEqual(['key_b', 'key_a'])
    expect(await groups('model', range)).toEqual(['small', 'b'])
    expect(await groups('provider', range)).toEqual(['vendor', ''])
  }
})

test('names weeks and months by their first day, also for a week across the end of a month', async () => {
  const store = await storeWith([
    { at: '2026-10-25T22:59:59Z', nano: 1 },
    { at: '2026-10-25T23:00:00Z', nano: 10 },
    { at: '2026-10-31T22:59:59Z', nano: 100 },
    { at: '2026-10-31T23:00:00Z', nano: 1000 },
    { at: '2026-11-01T22:59:59Z', nano: 10_000 },
    { at: '2026-11-01T23:00:00Z', nano: 100_000 },
  ])
  const sums = async (groupBy: 'week' | 'month') =>
    (await store.read('usage', { groupBy, timeZone: 'Europe/Berlin' })).map((row) => [
      row.group,
      row.costNano,
    ])
  for (const rollupZone of ['UTC', 'Europe/Berlin']) {
    await store.write('setRollupTimeZone', rollupZone)
    expect(await sums('week')).toEqual([
      ['2026-10-19', 1],
      ['2026-10-26', 11_110],
      ['2026-11-02', 100_000],
    ])
    expect(await sums('month')).toEqual([
      ['2026-10-01', 111],
      ['2026-11-01', 111_000],
    ])
  }
})

test('groups by client, ignoring its version', async () => {
  const store = await storeWithKeys('key_a')
  const clients = ['OpenAI/JS 7.55.0', 'OpenAI/JS 7.54.1', 'curl/8.5.0', null]
  for (const [i, client] of clients.entries())
    await recordRequest(store, `req_${i}`, { client }, { costNano: nanoUsd(10 ** i) })
  for (const range of [{}, { from: NOON, to: NOON + 1 }]) {
    const rows = await store.read('usage', { groupBy: 'client', timeZone: 'UTC', ...range })
    expect(rows.map(({ group, costNano, requests }) => [group, costNano, requests])).toEqual([
      ['', 1000, 1],
      ['curl', 100, 1],
      ['OpenAI/JS', 11, 2],
    ])
  }
})

test('orders groups by their cost, and the parts of each group by theirs', async () => {
  const store = await storeWithKeys('key_a', 'key_b')
  const charges: [string, string, number][] = [
    ['key_a', 'small', 3],
    ['key_a', 'large', 4],
    ['key_b', 'small', 6],
    ['key_b', 'tiny', 0],
  ]
  for (const [i, [keyId, model, nano]] of charges.entries())
    await recordRequest(store, `req_${i}`, { keyId }, { model, costNano: nanoUsd(nano) })
  const parts = async (filter: Pick<UsageFilter, 'groupBy' | 'splitBy'>) =>
    (await store.read('usage', { ...filter, timeZone: 'UTC' })).map((row) => [
      row.group,
      row.split,
      row.costNano,
    ])
  expect(await parts({ groupBy: 'key', splitBy: 'model' })).toEqual([
    ['key_a', 'large', 4],
    ['key_a', 'small', 3],
    ['key_b', 'small', 6],
    ['key_b', 'tiny', 0],
  ])
  expect(await parts({ groupBy: 'day', splitBy: 'model' })).toEqual([
    ['2026-03-10', 'small', 9],
    ['2026-03-10', 'large', 4],
    ['2026-03-10', 'tiny', 0],
  ])
  expect(await parts({ groupBy: 'model', splitBy: 'model' })).toEqual([
    ['small', 'small', 9],
    ['large', 'large', 4],
    ['tiny', 'tiny', 0],
  ])
  const [unsplit] = await store.read('usage', { groupBy: 'key', timeZone: 'UTC' })
  expect(unsplit).not.toHaveProperty('split')
})

test('a time outside the range of calendars selects everything', async () => {
  const store = await storeWith([{ at: '2026-03-10T12:00:00Z', nano: 7 }])
  const range = { from: Date.parse('0001-01-01'), to: Date.parse('9999-12-31T23:59:59Z') }
  expect((await store.read('loadState')).accountSpendNano).toBe(7)
  for (const groupBy of ['month', 'key'] as const)
    expect(await store.read('usage', { ...range, groupBy, timeZone: 'Asia/Tokyo' })).toMatchObject([
      { costNano: 7 },
    ])
})
