import { expect, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { RequestFilter, RequestOrder, Store } from '../store.ts'
import { NOON, recordRequest, sampleRequest } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

const ORDERS: readonly RequestOrder[] = (['time', 'cost', 'duration', 'tokens'] as const).flatMap((sort) =>
  (['desc', 'asc'] as const).map((order) => ({ sort, order })),
)

/** Many rows have the same values, some have none, and two still run. */
async function filled(): Promise<Store> {
  const store = await storeWithKeys('key_a', 'key_b')
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      recordRequest(
        store,
        `req_${i}`,
        { createdAt: NOON + ((i * 7) % 20), keyId: i % 2 === 0 ? 'key_a' : 'key_b' },
        {
          costNano: i % 9 === 0 ? null : nanoUsd((i * 13) % 5),
          totalMs: i % 11 === 0 ? null : (i % 6) + 0.125,
          tokensIn: i % 4,
          tokensOut: i % 3,
        },
      ),
    ),
  )
  for (const id of ['running_1', 'running_2'])
    await store.write('openRequest', sampleRequest(id, { createdAt: NOON + 5 }))
  return store
}

async function readAll(store: Store, order: RequestOrder, filter: Partial<RequestFilter> = {}) {
  const rows = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.scan('listSorted', { limit: 7, ...filter, ...(cursor ? { cursor } : {}) }, order)
    expect(page.rows.length).toBeLessThanOrEqual(7)
    rows.push(...page.rows)
    cursor = page.nextCursor
  }
  return rows
}

test('pages of every order have each row once, sorted by value, then time; rows without a value come last', async () => {
  const store = await filled()
  const valueIn = {
    time: (row: { createdAt: number }) => row.createdAt,
    cost: (row: { costNano: number | null }) => row.costNano,
    duration: (row: { totalMs: number | null }) => row.totalMs,
    tokens: (row: { tokensIn: number; tokensOut: number }) => row.tokensIn + row.tokensOut,
  }
  for (const order of ORDERS)
    for (const filter of [{}, { keyId: 'key_b' }, { status: 'succeeded' } as const]) {
      const rows = await readAll(store, order, filter)
      const all = (await store.read('listRequests', { limit: 100, ...filter })).rows
      const last = order.order === 'desc' ? -1 : Number.MAX_VALUE
      const sign = order.order === 'desc' ? -1 : 1
      const value = (row: (typeof all)[number]) => valueIn[order.sort](row) ?? last
      const expected = all.toSorted(
        (a, b) => sign * (value(a) - value(b) || a.createdAt - b.createdAt || a.seq - b.seq),
      )
      expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      expect(rows).toEqual(expected)
    }
})

test('rows that arrive meanwhile move no others', async () => {
  const store = await filled()
  for (const order of ORDERS.filter(({ sort }) => sort !== 'time')) {
    const before = (await readAll(store, order)).map(({ id }) => id)
    const seen: string[] = []
    for (let cursor: string | null | undefined, nth = 0; cursor !== null; nth++) {
      const page = await store.scan('listSorted', { limit: 9, ...(cursor ? { cursor } : {}) }, order)
      seen.push(...page.rows.map(({ id }) => id))
      cursor = page.nextCursor
      await recordRequest(
        store,
        `new_${order.sort}_${order.order}_${nth}`,
        {},
        { costNano: nanoUsd(nth % 6) },
      )
    }
    expect(new Set(seen).size).toBe(seen.length)
    const earlier = new Set(before)
    expect(seen.filter((id) => earlier.has(id))).toEqual(before)
  }
})

test('a cursor of another order is refused', async () => {
  const store = await filled()
  const { nextCursor } = await store.scan('listSorted', { limit: 1 }, { sort: 'cost', order: 'desc' })
  const { nextCursor: newest } = await store.read('listRequests', { limit: 1 })
  for (const cursor of [nextCursor ?? '', newest ?? '', '', 'abc'])
    await expect(
      store.scan('listSorted', { limit: 1, cursor }, { sort: 'tokens', order: 'desc' }),
    ).rejects.toMatchObject({ code: 'bad_cursor' })
})

test('requests are found by the name of their client', async () => {
  const store = await storeWithKeys('key_a')
  const clients = [
    'Claude Code (claude-cli/2.1)',
    'Claude Code (claude-cli/2.2)',
    'Mozilla/5.0 (X11) Safari/1',
    null,
  ]
  for (const [i, client] of clients.entries()) await recordRequest(store, `req_${i}`, { client })
  const found = async (filter: Partial<RequestFilter>) =>
    (await store.read('listRequests', { limit: 10, ...filter })).rows.map(({ id }) => id)
  expect(await found({ client: 'Claude Code' })).toEqual(['req_1', 'req_0'])
  expect(await found({ client: 'Claude' })).toEqual([])
  expect(await found({ client: '' })).toEqual(['req_3'])
  expect(await found({ q: 'claude code' })).toEqual(['req_1', 'req_0'])
  expect(await found({ q: 'browser' })).toEqual(['req_2'])
  await recordRequest(store, 'req_4', { client: 'Claude Code (claude-cli/2.3)' })
  expect(await found({ client: 'Claude Code' })).toEqual(['req_4', 'req_1', 'req_0'])
  expect(await found({ client: 'Claude Code', q: '2.2' })).toEqual(['req_1'])
})
