import { expect, test } from 'vitest'
import { USAGE_GROUPS } from '../../../shared/api/usage.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { Store } from '../store.ts'
import { NOON, recordRequest, sampleKey, spentIn } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

const UNSETTLED = {
  status: 'failed',
  costStatus: 'unsettled',
  costNano: nanoUsd(300),
  costLowNano: nanoUsd(100),
  costHighNano: nanoUsd(900),
} as const

async function storeWithUnsettled(): Promise<Store> {
  const store = await storeWithKeys('key_a')
  await store.write('insertKey', sampleKey('key_b'))
  await store.write('setRollupTimeZone', 'Asia/Kathmandu')
  await recordRequest(store, 'req_1', {}, UNSETTLED)
  await recordRequest(store, 'req_2')
  await recordRequest(store, 'req_3', { keyId: 'key_b' }, { costNano: nanoUsd(40) })
  return store
}

const BY_USER = { at: 7, by: 'user' } as const

const confirm = (store: Store, id: string, cost: number) =>
  store.write('confirmCost', { id, costNano: cost as NanoUsd, ...BY_USER })

/** The totals of the account and its keys, after checking that every query agrees with them. */
async function totals(store: Store) {
  expect(await store.read('checkTotals')).toEqual([])
  const { keys, accountSpendNano } = await store.read('loadState')
  for (const groupBy of USAGE_GROUPS) {
    for (const timeZone of ['Asia/Kathmandu', 'UTC']) {
      const sums = await store.read('usage', { groupBy, timeZone })
      expect(sums.reduce((sum, row) => sum + row.costNano, 0)).toBe(accountSpendNano)
      expect(sums.reduce((sum, row) => sum + row.requests, 0)).toBe(3)
    }
  }
  expect(await spentIn(store, { start: NOON, end: NOON + 1 })).toEqual([accountSpendNano])
  return { account: accountSpendNano, keys: Object.fromEntries(keys.map((key) => [key.id, key.spendNano])) }
}

test.each([100, 300, 450, 900])('a cost of %d within the bounds moves every total to it', async (cost) => {
  const store = await storeWithUnsettled()
  expect(await totals(store)).toEqual({ account: 590, keys: { key_a: 550, key_b: 40 } })
  expect(await confirm(store, 'req_1', cost)).toMatchObject({
    confirmed: true,
    differenceNano: cost - 300,
    request: { costNano: cost, costStatus: 'confirmed', costLowNano: null, costHighNano: null },
  })
  expect(await totals(store)).toEqual({ account: 290 + cost, keys: { key_a: 250 + cost, key_b: 40 } })
})

test('a cost out of bounds, a settled charge and an unknown request are rejected without any change', async () => {
  const store = await storeWithUnsettled()
  const before = await totals(store)
  for (const cost of [99, 901, 1e300, Number.POSITIVE_INFINITY]) {
    expect(await confirm(store, 'req_1', cost)).toEqual({
      confirmed: false,
      refusal: { reason: 'out_of_bounds', lowNano: 100, highNano: 900 },
    })
  }
  expect(await confirm(store, 'req_2', 250)).toEqual({
    confirmed: false,
    refusal: { reason: 'not_unsettled', costStatus: 'exact' },
  })
  expect(await confirm(store, 'req_none', 250)).toMatchObject({ refusal: { reason: 'unknown_request' } })
  expect(await totals(store)).toEqual(before)
  expect(await store.read('getRequest', 'req_1')).toMatchObject(UNSETTLED)
})

test('of several concurrent confirmations, the first is applied and the others are rejected', async () => {
  const store = await storeWithUnsettled()
  const results = await Promise.all([400, 500, 400].map((cost) => confirm(store, 'req_1', cost)))
  expect(results.map((result) => result.confirmed)).toEqual([true, false, false])
  expect(results[2]).toMatchObject({ refusal: { reason: 'not_unsettled', costStatus: 'confirmed' } })
  expect(await totals(store)).toMatchObject({ account: 690 })
})

test('totals stay correct when the row is pruned after its cost was confirmed', async () => {
  const store = await storeWithUnsettled()
  await confirm(store, 'req_1', 120)
  expect(await store.write('pruneRequests', { before: NOON + 86_400_000 })).toMatchObject({ deleted: 3 })
  expect(await store.read('checkTotals')).toEqual([])
  expect((await store.read('loadState')).accountSpendNano).toBe(410)
})
