import { describe, expect, onTestFinished, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import { connectWriter } from '../engine/connection.ts'
import { databasePath } from '../engine/files.ts'
import { SLOT_15M_MS } from '../sums/rollup-columns.ts'
import { NOON, recordRequest, sampleKey, sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { storeWithKeys, tempDir, tempStore } from '../testing/temp-store.ts'

test('keys, account, sums over time and rows agree after mixed work, before and after pruning', async () => {
  const store = await tempStore()
  const keys = ['key_a', 'key_b', 'key_c']
  for (const id of keys) await store.write('insertKey', sampleKey(id))
  let expected = 0
  const work: Promise<unknown>[] = []
  for (let i = 0; i < 600; i++) {
    const keyId = keys[i % 3] ?? ''
    const id = `req_${i}`
    work.push(store.write('openRequest', sampleRequest(id, { keyId, createdAt: NOON + i * 60_000 })))
    if (i % 7 === 0) continue
    const costNano = i % 5 === 0 ? null : nanoUsd(i * 1001)
    expected += costNano ?? 0
    const settlement = sampleSettlement(id, { costNano, model: `model-${i % 4}` })
    work.push(store.write('settleRequest', settlement), store.write('settleRequest', settlement))
  }
  await Promise.all(work)
  const abandoned = await store.write('settleAbandoned', { now: NOON })
  expect(abandoned).toHaveLength(86)
  expected += abandoned.length * 300

  const check = async () => {
    expect(await store.read('checkTotals')).toEqual([])
    const state = await store.read('loadState')
    expect(state.accountSpendNano).toBe(expected)
    expect(state.keys.reduce((sum, key) => sum + key.spendNano, 0)).toBe(expected)
    for (const groupBy of ['day', 'week', 'month', 'key', 'model', 'provider', 'client'] as const) {
      const rows = await store.read('usage', { groupBy, timeZone: 'Asia/Kathmandu' })
      expect(rows.reduce((sum, row) => sum + row.costNano, 0)).toBe(expected)
      expect(rows.reduce((sum, row) => sum + row.requests, 0)).toBe(600)
    }
  }
  await check()
  const before = NOON + 300 * 60_000
  const prune = { before, max: 100 }
  expect(await store.write('pruneRequests', prune)).toEqual({ deleted: 100, more: true })
  expect(await store.write('pruneRequests', prune)).toEqual({ deleted: 100, more: true })
  expect(await store.write('pruneRequests', prune)).toEqual({ deleted: 100, more: true })
  expect(await store.write('pruneRequests', prune)).toEqual({ deleted: 0, more: false })
  await check()
})

describe('at start', () => {
  test('an interrupted request is charged its estimate, with bounds, and its replay is unknown', async () => {
    const store = await storeWithKeys('key_a')
    const idempotency = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: NOON }
    await store.write('claimIdempotency', idempotency)
    await store.write('openRequest', sampleRequest('req_1', { provider: 'p', model: 'm', tokensIn: 3 }))
    await store.write('openRequest', sampleRequest('req_2', { estimateNano: null, reservedNano: nanoUsd(0) }))
    await recordRequest(store, 'req_3')
    await store.write('claimIdempotency', { ...idempotency, id: 'other post' })

    const settled = await store.write('settleAbandoned', { now: NOON + 99 })
    expect(settled).toMatchObject([
      {
        id: 'req_1',
        status: 'failed',
        error: { type: 'server_error', code: 'outcome_unknown' },
        costNano: 300,
        costStatus: 'unsettled',
        costLowNano: 0,
        costHighNano: 900,
        tokensIn: 3,
        settledAt: NOON + 99,
      },
      { id: 'req_2', costNano: null, costStatus: 'unknown', costLowNano: null, costHighNano: null },
    ])
    for (const id of ['idem', 'other post']) {
      expect(await store.write('claimIdempotency', { ...idempotency, id })).toMatchObject({
        existing: { state: 'unknown' },
      })
    }
    expect(await store.read('usage', { groupBy: 'provider', timeZone: 'UTC' })).toMatchObject([
      { group: 'p', costNano: 300, tokensIn: 3 },
      { group: 'vendor', costNano: 250 },
      { group: '', costNano: 0 },
    ])
    expect(await store.write('settleAbandoned', { now: NOON + 100 })).toEqual([])
    await store.write('settleRequest', sampleSettlement('req_1'))
    expect(await store.read('getRequest', 'req_1')).toMatchObject({ status: 'failed' })
    expect(await store.read('checkTotals')).toEqual([])
  })
})

test('pruning skips running requests and deletes stored bodies', async () => {
  const store = await storeWithKeys('key_a')
  await store.write('openRequest', sampleRequest('req_1'))
  await recordRequest(store, 'req_2', {}, { bodies: { request: 'x', response: 'y' } })
  await recordRequest(store, 'req_3', { createdAt: NOON + SLOT_15M_MS })
  expect(await store.write('pruneRequests', { before: NOON + 2 * SLOT_15M_MS - 1 })).toEqual({
    deleted: 1,
    more: false,
  })
  expect(await store.read('getBodies', 'req_2')).toBeNull()
  const { rows } = await store.read('listRequests', { limit: 10 })
  expect(rows.map((row) => row.id)).toEqual(['req_3', 'req_1'])
})

test('a modified total is found, whichever it is', async () => {
  const dataDir = tempDir()
  const store = await tempStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_1')
  expect(await store.read('checkTotals')).toEqual([])
  const db = connectWriter(databasePath(dataDir))
  onTestFinished(() => {
    db.close()
  })
  const found = async (table: string) => {
    db.exec(`UPDATE ${table} SET cost_nano = cost_nano + 1`)
    const discrepancies = await store.read('checkTotals')
    db.exec(`UPDATE ${table} SET cost_nano = cost_nano - 1`)
    return discrepancies
  }
  const key = { keyId: 'key_a', expectedNano: 250, foundNano: 251 }
  expect(await found('requests')).toEqual([{ what: 'request rows', ...key }])
  expect(await found('rollups')).toEqual([{ what: '15-minute rollups', ...key }])
  expect(await found('day_sums')).toEqual([{ what: 'daily rollups', ...key }])
  expect(await store.read('checkTotals')).toEqual([])
})

test('the check of the totals ends before the store does', async () => {
  const store = await storeWithKeys('key_a')
  await recordRequest(store, 'req_1')
  const checked = store.read('checkTotals')
  await store.close()
  expect(await checked).toEqual([])
  await expect(store.read('checkTotals')).rejects.toMatchObject({ code: 'closed' })
})
