import { expect, onTestFinished, test } from 'vitest'
import { nanoUsd } from '../../shared/money.ts'
import type { Store } from './store.ts'
import { NOON, recordRequest, sampleKey, temporary } from './testing/samples.ts'

const { tempStore } = temporary(onTestFinished)

const at = (iso: string) => Date.parse(iso)

async function storeWith(requests: { at: string; nano: number }[]): Promise<Store> {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  await Promise.all(
    requests.map(({ at: createdAt, nano }, i) =>
      recordRequest(store, `req_${i}`, { createdAt: at(createdAt) }, { costNano: nanoUsd(nano) }),
    ),
  )
  return store
}

test('sums days as the time zone has them, 23 and 25 hours long ones included', async () => {
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

test('knows time zones that are off by a quarter of an hour', async () => {
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
      expect(await store.read('spendBetween', range)).toBe(expected)
      const rows = await store.read('usage', { ...range, groupBy: 'day', timeZone: 'UTC' })
      expect(rows.reduce((sum, row) => sum + row.costNano, 0)).toBe(expected)
    }
  }
})

test('orders other groups by cost', async () => {
  const store = await tempStore()
  for (const id of ['key_a', 'key_b']) await store.write('insertKey', sampleKey(id))
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
    expect(await groups('provider', range)).toEqual(['sandbox', ''])
  }
})
