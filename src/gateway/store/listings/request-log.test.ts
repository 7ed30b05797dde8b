import { expect, onTestFinished, test } from 'vitest'
import { COST_STATUSES } from '../../../shared/api/terms.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import { silentLog } from '../../platform/log.ts'
import { openDatabase } from '../engine/open.ts'
import { confirmCost } from '../ledger/cost-confirmation.ts'
import { openRequest, settleRequest } from '../ledger/ledger.ts'
import { insertKey } from '../settings/keys.ts'
import type { RequestFilter, Settlement, Store, StoredRequest } from '../store.ts'
import { NOON, recordRequest, sampleKey, sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { storeWithKeys, tempDir, tempStore } from '../testing/temp-store.ts'
import { listRequests } from './request-log.ts'

async function ids(store: Store, filter: Partial<RequestFilter>): Promise<string[]> {
  const { rows, nextCursor } = await store.read('listRequests', { limit: 100, ...filter })
  expect(nextCursor).toBeNull()
  return rows.map((row) => row.id)
}

test('pages neither repeat nor skip rows while others are added, even after the clock went back', async () => {
  const store = await storeWithKeys('key_a')
  const ids = Array.from({ length: 95 }, (_, i) => `req_${String(i).padStart(3, '0')}`)
  await Promise.all(
    ids.map((id, i) =>
      store.write('openRequest', sampleRequest(id, { createdAt: NOON + Math.floor(i / 3) })),
    ),
  )
  const seen: string[] = []
  let cursor: string | undefined
  for (let nth = 0; ; nth++) {
    const page = await store.read('listRequests', { limit: 10, ...(cursor ? { cursor } : {}) })
    seen.push(...page.rows.map((row) => row.id))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
    await recordRequest(store, `new_${nth}`, { createdAt: NOON + 100 + nth })
    await recordRequest(store, `back_${nth}`, { createdAt: NOON - 1 })
  }
  expect(seen.filter((id) => id.startsWith('req_'))).toEqual(ids.toReversed())
  expect(new Set(seen).size).toBe(seen.length)
})

test('filters select their rows, alone and combined', async () => {
  const store = await storeWithKeys('key_a')
  await store.write('insertKey', sampleKey('key_b'))
  await recordRequest(store, 'req_1', { requestedModel: 'big' }, { model: 'small' })
  await recordRequest(store, 'req_2', { keyId: 'key_b', createdAt: NOON + 1 }, { provider: 'other' })
  await recordRequest(
    store,
    'req_3',
    { createdAt: NOON + 2, client: 'curl/8', requestedModel: 'big' },
    {
      status: 'failed',
      httpStatus: 502,
      model: null,
      provider: null,
      error: { type: 'upstream_error', message: '100% Broken_pipe' },
    },
  )
  await store.write('openRequest', sampleRequest('req_4', { createdAt: NOON + 3 }))

  expect(await ids(store, {})).toEqual(['req_4', 'req_3', 'req_2', 'req_1'])
  expect(await ids(store, { keyId: 'key_b' })).toEqual(['req_2'])
  expect(await ids(store, { model: 'small' })).toEqual(['req_4', 'req_2', 'req_1'])
  expect(await ids(store, { model: 'big' })).toEqual(['req_3'])
  expect(await ids(store, { provider: 'vendor' })).toEqual(['req_1'])
  expect(await ids(store, { status: 'succeeded' })).toEqual(['req_2', 'req_1'])
  expect(await ids(store, { status: 'running' })).toEqual(['req_4'])
  expect(await ids(store, { status: 502 })).toEqual(['req_3'])
  expect(await ids(store, { status: 200 })).toEqual(['req_2', 'req_1'])
  expect(await ids(store, { from: NOON + 1, to: NOON + 3 })).toEqual(['req_3', 'req_2'])
  expect(await ids(store, { keyId: 'key_a', status: 'succeeded' })).toEqual(['req_1'])
  expect(await ids(store, { keyId: 'key_a', status: 200, model: 'big' })).toEqual([])
  expect(await ids(store, { keyId: 'key_b', provider: 'other', model: 'small', from: NOON })).toEqual([
    'req_2',
  ])
})

test('a search finds substrings of id, models, error message, endpoint and client, with wildcards taken literally', async () => {
  const store = await storeWithKeys('key_a')
  await recordRequest(store, 'req_1', { requestedModel: 'requested' }, { model: 'served' })
  await recordRequest(
    store,
    'req_2',
    { client: 'curl/8', endpoint: 'POST /v1/embeddings' },
    { error: { type: 'upstream_error', message: '100% Broken_pipe' } },
  )
  expect(await ids(store, { q: 'REQUESTED' })).toEqual(['req_1'])
  expect(await ids(store, { q: 'serve' })).toEqual(['req_1'])
  expect(await ids(store, { q: 'curl' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'broken_' })).toEqual(['req_2'])
  expect(await ids(store, { q: '0%' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'upstream_error' })).toEqual([])
  expect(await ids(store, { q: 'V1/EMBED' })).toEqual(['req_2'])
  expect(await ids(store, { q: '%' })).toEqual(['req_2'])
  expect(await ids(store, { q: '_pipe', keyId: 'key_a' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'eq_' })).toEqual(['req_2', 'req_1'])
  expect(await ids(store, { q: 'req_1' })).toEqual(['req_1'])
})

test('a search reads rows in windows without skipping any at their bounds', async () => {
  const store = await storeWithKeys('key_a')
  const total = 12_000
  await Promise.all(
    Array.from({ length: total }, (_, i) => {
      const marked = i % 1000 === 0 || i === 7000 - 1 || i === 7000
      return store.write('openRequest', sampleRequest(`req_${i}`, { client: marked ? 'marked' : null }))
    }),
  )
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.read('listRequests', { limit: 3, q: 'marked', ...(cursor ? { cursor } : {}) })
    found.push(...page.rows.map((row) => row.id))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  expect(found).toHaveLength(13)
  expect(new Set(found).size).toBe(13)
})

/** Rows of every kind of cost, written on this thread; more of them than a search reads in one window. */
function createCostRows(): { list: (filter: Partial<RequestFilter>) => string[]; rows: StoredRequest[] } {
  const { db } = openDatabase(tempDir(), silentLog, NOON)
  onTestFinished(() => void db.close())
  const statuses: [Settlement['costStatus'], number | null][] = [
    ['exact', 250],
    ['exact', 5_000],
    ['estimated', 999],
    ['free', 0],
    ['unsettled', 300],
    ['unknown', null],
    ['exact', 100_000_000],
    ['estimated', 3_000_000_000],
    ['exact', 20_000_000_001],
  ]
  for (const id of ['key_a', 'key_b']) insertKey(db, sampleKey(id))
  db.transaction(() => {
    for (let i = 0; i < 6_500; i++) {
      const id = `req_${i}`
      const open = { keyId: i % 400 === 7 ? 'key_b' : 'key_a', createdAt: NOON + Math.floor(i / 2) }
      openRequest(db, sampleRequest(id, { ...open, client: i % 1_000 === 0 ? 'marked' : null }))
      const [costStatus, cost] = statuses[(i * 7) % statuses.length] ?? ['exact', 1]
      const costNano = i === 3_001 ? nanoUsd(70_000) : cost === null ? null : nanoUsd(cost)
      const ended = i % 50 === 3 ? { status: 'failed' as const, httpStatus: 502 } : {}
      if (i % 97 !== 0) settleRequest(db, sampleSettlement(id, { costStatus, costNano, ...ended }))
    }
    confirmCost(db, { id: 'req_16', costNano: nanoUsd(20), at: 0, by: 'user' })
  })()
  const pages = (filter: Partial<RequestFilter>) => {
    const found: StoredRequest[] = []
    let cursor: string | undefined
    do {
      const page = listRequests(db, { limit: 300, ...filter, ...(cursor ? { cursor } : {}) })
      found.push(...page.rows)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    return found
  }
  return { rows: pages({}), list: (filter) => pages(filter).map((row) => row.id) }
}

test('cost filters select rows between their bounds, combined with others, and no unknown or pending cost', () => {
  const { list, rows } = createCostRows()
  const all: Partial<RequestFilter>[] = []
  for (const cost of [
    { minCostNano: nanoUsd(1_000) },
    { minCostNano: nanoUsd(250), maxCostNano: nanoUsd(300) },
    { maxCostNano: nanoUsd(0) },
    { minCostNano: nanoUsd(70_001) },
    { minCostNano: nanoUsd(100_000_000) },
    { minCostNano: nanoUsd(1_000_000_000), maxCostNano: nanoUsd(20_000_000_000) },
    { minCostNano: nanoUsd(20_000_000_001) },
    {},
  ]) {
    for (const costStatus of [undefined, ...COST_STATUSES]) {
      const filter = { ...cost, ...(costStatus ? { costStatus } : {}) }
      all.push(filter)
      if (costStatus) continue
      all.push({ ...filter, keyId: 'key_b' }, { ...filter, status: 'failed' })
      all.push({ ...filter, q: 'MARKED' }, { ...filter, from: NOON + 10, to: NOON + 3_000, keyId: 'key_a' })
    }
  }
  const fits = (row: StoredRequest, filter: Partial<RequestFilter>) =>
    (filter.minCostNano === undefined || (row.costNano ?? -1) >= filter.minCostNano) &&
    (filter.maxCostNano === undefined || (row.costNano ?? Infinity) <= filter.maxCostNano) &&
    (filter.costStatus === undefined || row.costStatus === filter.costStatus) &&
    (filter.keyId === undefined || row.keyId === filter.keyId) &&
    (filter.status === undefined || row.status === filter.status) &&
    (filter.q === undefined || row.client === 'marked') &&
    (filter.from === undefined || row.createdAt >= filter.from) &&
    (filter.to === undefined || row.createdAt < filter.to)
  for (const filter of all) {
    const expected = rows.filter((row) => fits(row, filter)).map((row) => row.id)
    expect([filter, list(filter)]).toEqual([filter, expected])
  }
  expect(rows).toHaveLength(6_500)
  expect(list({ minCostNano: nanoUsd(6_000), maxCostNano: nanoUsd(80_000) })).toEqual(['req_3001'])
  expect(list({ costStatus: 'confirmed' })).toEqual(['req_16'])
})

test('an invalid cursor is rejected', async () => {
  const store = await tempStore()
  for (const cursor of ['', 'abc', Buffer.from('1.2.3').toString('base64url'), 'MS4y=']) {
    await expect(store.read('listRequests', { limit: 1, cursor })).rejects.toMatchObject({
      code: 'bad_cursor',
    })
  }
})
