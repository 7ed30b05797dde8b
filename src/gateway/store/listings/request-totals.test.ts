import { expect, test } from 'vitest'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { Store, TotalsFilter } from '../store.ts'
import { NOON, recordRequest, sampleRequest } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

const DAY_MS = 24 * 3_600_000

async function filled(): Promise<Store> {
  const store = await storeWithKeys('key_a', 'key_b')
  await Promise.all(
    Array.from({ length: 120 }, (_, i) =>
      recordRequest(
        store,
        `req_${i}`,
        {
          createdAt: NOON + i * 1_700_123,
          keyId: i % 4 === 0 ? 'key_a' : 'key_b',
          client: i % 6 === 0 ? null : 'curl/8.5',
        },
        {
          model: i % 5 === 0 ? null : `model-${i % 3}`,
          provider: i % 5 === 0 ? null : 'p',
          status: i % 5 === 0 ? 'failed' : 'succeeded',
          usage: { ...NO_USAGE, input: 7, cacheRead: 3, output: 5 },
          ...(i % 7 === 0
            ? { costNano: null, costStatus: 'unknown' as const }
            : i % 11 === 0
              ? { costStatus: 'unsettled' as const, costLowNano: nanoUsd(0), costHighNano: nanoUsd(900) }
              : { costNano: nanoUsd(i) }),
        },
      ),
    ),
  )
  const refused = { keyId: 'key_a', requestedModel: 'model-1', stream: false, client: 'curl/8', totalMs: 1 }
  const error = { type: 'rate_limit_exceeded', message: 'too many' } as const
  await store.write('recordRefused', {
    ...{ ...refused, id: 'refused', createdAt: NOON + DAY_MS, httpStatus: 429, error },
  })
  await store.write('countRefused', { id: 'refused', count: 5, lastAt: NOON + DAY_MS + 9 })
  await store.write('openRequest', sampleRequest('running', { createdAt: NOON + DAY_MS }))
  return store
}

const filters: TotalsFilter[] = [
  {},
  { keyId: 'key_a' },
  { model: 'model-1' },
  { model: 'small' },
  { provider: 'p', keyId: 'key_b' },
  { client: 'curl' },
  { client: '' },
  { client: 'none' },
  { from: NOON + 5, to: NOON + DAY_MS + 1 },
  { from: NOON + 20 * DAY_MS },
  { status: 'failed' },
  { status: 'refused' },
  { status: 'running' },
  { status: 429 },
  { costStatus: 'unsettled', keyId: 'key_b' },
  { costStatus: 'unknown' },
  { minCostNano: nanoUsd(50), maxCostNano: nanoUsd(90) },
  { q: 'model-2', from: NOON + DAY_MS },
  { q: 'req_17' },
  { q: 'running' },
]

test('totals are those of all rows of the list, also after older rows were pruned', async () => {
  const store = await filled()
  for (const before of [null, NOON + 17 * 3_600_000]) {
    if (before !== null) await store.write('pruneRequests', { before })
    for (const filter of filters) {
      const { rows } = await store.read('listRequests', { limit: 500, ...filter })
      const sum = (value: (row: (typeof rows)[number]) => number | null) =>
        rows.reduce((total, row) => total + (value(row) ?? 0), 0)
      expect([filter, await store.scan('requestTotals', filter)]).toEqual([
        filter,
        {
          requests: sum(({ count }) => count),
          tokensIn: sum(({ tokensIn }) => tokensIn),
          tokensOut: sum(({ tokensOut }) => tokensOut),
          tokensCached: sum(({ usage }) => usage?.cacheRead ?? 0),
          costNano: sum(({ costNano }) => costNano),
          worthNano: sum(({ worthNano }) => worthNano),
          savedNano: sum(({ savedNano }) => savedNano),
          unpriced: sum(({ costStatus }) => Number(costStatus === 'unknown')),
          unsettled: sum(({ costStatus }) => Number(costStatus === 'unsettled')),
        },
      ])
    }
  }
})
