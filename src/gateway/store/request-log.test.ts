import { expect, onTestFinished, test } from 'vitest'
import type { RequestFilter, Store } from './store.ts'
import { NOON, recordRequest, sampleKey, sampleRequest, temporary } from './testing/samples.ts'

const { tempStore } = temporary(onTestFinished)

async function ids(store: Store, filter: Partial<RequestFilter>): Promise<string[]> {
  const { rows, nextCursor } = await store.read('listRequests', { limit: 100, ...filter })
  expect(nextCursor).toBeNull()
  return rows.map((row) => row.id)
}

test('pages neither repeat nor skip rows while others arrive, even from a clock that went back', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  const ids = Array.from({ length: 95 }, (_, i) => `req_${String(i).padStart(3, '0')}`)
  await Promise.all(
    ids.map((id, i) =>
      store.write('openRequest', sampleRequest(id, { createdAt: NOON + Math.floor(i / 3) })),
    ),
  )
  const seen: string[] = []
  let cursor: string | undefined
  for (let turn = 0; ; turn++) {
    const page = await store.read('listRequests', { limit: 10, ...(cursor ? { cursor } : {}) })
    seen.push(...page.rows.map((row) => row.id))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
    await recordRequest(store, `new_${turn}`, { createdAt: NOON + 100 + turn })
    await recordRequest(store, `back_${turn}`, { createdAt: NOON - 1 })
  }
  expect(seen.filter((id) => id.startsWith('req_'))).toEqual(ids.toReversed())
  expect(new Set(seen).size).toBe(seen.length)
})

test('every filter alone and together finds what it names', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
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
  expect(await ids(store, { provider: 'sandbox' })).toEqual(['req_1'])
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

test('a search finds substrings of id, models, error message and client, and takes wildcards literally', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_1', { requestedModel: 'asked-for' }, { model: 'served' })
  await recordRequest(
    store,
    'req_2',
    { client: 'curl/8' },
    { error: { type: 'upstream_error', message: '100% Broken_pipe' } },
  )
  expect(await ids(store, { q: 'ASKED' })).toEqual(['req_1'])
  expect(await ids(store, { q: 'serve' })).toEqual(['req_1'])
  expect(await ids(store, { q: 'curl' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'broken_' })).toEqual(['req_2'])
  expect(await ids(store, { q: '0%' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'upstream_error' })).toEqual([])
  expect(await ids(store, { q: '%' })).toEqual(['req_2'])
  expect(await ids(store, { q: '_pipe', keyId: 'key_a' })).toEqual(['req_2'])
  expect(await ids(store, { q: 'eq_' })).toEqual(['req_2', 'req_1'])
  expect(await ids(store, { q: 'req_1' })).toEqual(['req_1'])
})

test('a search goes through windows of rows without losing any at their bounds', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
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

test('a cursor that is not one is refused', async () => {
  const store = await tempStore()
  for (const cursor of ['', 'abc', Buffer.from('1.2.3').toString('base64url'), 'MS4y=']) {
    await expect(store.read('listRequests', { limit: 1, cursor })).rejects.toMatchObject({
      code: 'bad_cursor',
    })
  }
})
