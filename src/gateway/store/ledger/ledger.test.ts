import { describe, expect, test } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import { NOON, recordRequest, sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { storeWithKeys, tempStore } from '../testing/temp-store.ts'

const claim = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1, 2), createdAt: NOON }

describe('the ledger', () => {
  test('reads the usage of a request from before cached audio was counted', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('openRequest', sampleRequest('req_1'))
    const { usage } = sampleSettlement('req_1')
    const older = JSON.parse(JSON.stringify({ ...usage, cacheReadAudio: undefined }))
    await store.write('settleRequest', sampleSettlement('req_1', { usage: older }))
    expect(older).not.toHaveProperty('cacheReadAudio')
    expect((await store.read('getRequest', 'req_1'))?.usage).toEqual({ ...usage, cacheReadAudio: 0 })
  })

  test('returns a settled request as it was written', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('openRequest', sampleRequest('req_1', { stream: true, tokensIn: 4, queueMs: 1 }))
    expect(await store.read('getRequest', 'req_1')).toMatchObject({
      status: 'running',
      costNano: null,
      costStatus: 'pending',
      tokensIn: 4,
      stream: true,
      settledAt: null,
    })
    const settlement = sampleSettlement('req_1', {
      price: {
        pricing: { inputPerMillion: 1, outputPerMillion: 2 },
        origin: { source: 'builtin', match: 'exact', asOf: null },
        plan: 'bundle',
        discountPercent: 20,
        reportedByProvider: false,
      },
      error: { type: 'upstream_error', message: 'it broke', code: 'x' },
    })
    await store.write('settleRequest', settlement)
    const { idempotency: _none, ...expected } = settlement
    expect(await store.read('getRequest', 'req_1')).toEqual({
      ...sampleRequest('req_1', { stream: true }),
      ...expected,
      ...{ sessionId: null, tag: null, needs: null },
      seq: 1,
      count: 1,
      lastAt: null,
      bodiesKept: false,
    })
  })

  test('writes a request that is opened and settled in one batch as it writes others', async () => {
    const store = await storeWithKeys('key_a')
    const bodies = { request: '{}', response: null }
    const write = (id: string) => [
      store.write('openRequest', sampleRequest(id)),
      store.write('settleRequest', sampleSettlement(id, { bodies, tokensOut: 6 })),
      store.write('settleRequest', sampleSettlement(id)),
    ]
    await Promise.all(write('req_1'))
    for (const each of write('req_2')) await each
    await Promise.all([
      ...write('req_3'),
      ...write('req_4'),
      store.write('openRequest', sampleRequest('req_5')),
    ])
    const rows = await Promise.all([1, 2, 3, 4].map((nr) => store.read('getRequest', `req_${nr}`)))
    for (const row of rows) expect({ ...row, id: '', seq: 0 }).toEqual({ ...rows[0], id: '', seq: 0 })
    expect(rows[0]).toMatchObject({ status: 'succeeded', tokensOut: 6, bodiesKept: true })
    expect(await store.read('getRequest', 'req_5')).toMatchObject({ status: 'running' })
    expect(await store.read('loadState')).toMatchObject({
      accountSpendNano: 1000,
      keys: [{ spendNano: 1000 }],
    })
    expect(await store.read('checkTotals')).toEqual([])
  })

  test('charges once, even if a request is settled repeatedly', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('openRequest', sampleRequest('req_1'))
    const settle = (cost: number) =>
      store.write('settleRequest', sampleSettlement('req_1', { costNano: nanoUsd(cost) }))
    await Promise.all([250, 999].map(settle))
    await settle(1)
    expect(await store.read('getRequest', 'req_1')).toMatchObject({ costNano: 250 })
    expect(await store.read('loadState')).toMatchObject({ accountSpendNano: 250, keys: [{ spendNano: 250 }] })
    expect(await store.read('checkTotals')).toEqual([])
    expect((await store.read('usage', { groupBy: 'key', timeZone: 'UTC' }))[0]).toMatchObject({ requests: 1 })
  })

  test('rejects the settlement of a request that was never opened', async () => {
    const store = await tempStore()
    await expect(store.write('settleRequest', sampleSettlement('req_none'))).rejects.toMatchObject({
      code: 'failed',
    })
    expect((await store.read('loadState')).accountSpendNano).toBe(0)
  })

  test('records a request that could not be opened together with its settlement, once', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('recordSettled', sampleRequest('req_1'), sampleSettlement('req_1'))
    await store.write('recordSettled', sampleRequest('req_1'), sampleSettlement('req_1'))
    expect(await store.read('getRequest', 'req_1')).toMatchObject({ status: 'succeeded', costNano: 250 })
    expect((await store.read('loadState')).accountSpendNano).toBe(250)
    expect(await store.read('checkTotals')).toEqual([])
  })

  test('rejects a charge beyond exact integers completely', async () => {
    const store = await storeWithKeys('key_a')
    await recordRequest(store, 'req_1', {}, { costNano: nanoUsd(Number.MAX_SAFE_INTEGER) })
    await store.write('openRequest', sampleRequest('req_2'))
    await expect(store.write('settleRequest', sampleSettlement('req_2'))).rejects.toMatchObject({
      code: 'failed',
    })
    expect(await store.read('getRequest', 'req_2')).toMatchObject({ status: 'running' })
    expect(await store.read('checkTotals')).toEqual([])
  })

  test('rejects a negative cost', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('openRequest', sampleRequest('req_1'))
    await expect(
      store.write('settleRequest', sampleSettlement('req_1', { costNano: nanoUsd(-1) })),
    ).rejects.toMatchObject({ code: 'failed' })
  })

  test('lists refused requests, and excludes them from every sum', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('recordRefused', {
      id: 'req_1',
      createdAt: NOON,
      keyId: 'key_a',
      requestedModel: 'small',
      stream: false,
      httpStatus: 402,
      error: { type: 'insufficient_quota', message: 'at the cap', code: 'spend_limit_reached' },
      client: null,
    })
    const { rows } = await store.read('listRequests', { limit: 10, status: 'refused' })
    expect(rows).toMatchObject([
      { id: 'req_1', httpStatus: 402, costNano: 0, costStatus: 'free', settledAt: NOON },
    ])
    expect(await store.read('usage', { groupBy: 'day', timeZone: 'UTC' })).toEqual([])
    expect(await store.read('usage', { groupBy: 'day', timeZone: 'UTC', from: NOON, to: NOON + 1 })).toEqual(
      [],
    )
  })

  test('keeps the newest 500 rejected calls, in the listing and in no sum', async () => {
    const store = await storeWithKeys('key_a')
    const reject = (nth: number) =>
      store.write('recordRefused', {
        id: `req_${nth}`,
        status: 'rejected',
        createdAt: NOON + nth,
        keyId: 'key_a',
        requestedModel: nth % 2 === 0 ? '' : 'small',
        endpoint: 'POST /v1/chat/completions',
        stream: false,
        httpStatus: 404,
        error: { type: 'not_found_error', message: 'There is no such model.' },
        client: null,
        totalMs: null,
      })
    await Promise.all(Array.from({ length: 502 }, (_, nth) => reject(nth)))
    await store.write('countRefused', { id: 'req_501', count: 3, lastAt: NOON + 900 })
    await recordRequest(store, 'req_settled')
    const { rows } = await store.read('listRequests', { limit: 500, status: 'rejected' })
    expect(rows).toHaveLength(500)
    expect(rows.at(-1)).toMatchObject({ id: 'req_2', status: 'rejected', costNano: 0, totalMs: null })
    expect(await store.scan('requestTotals', {})).toMatchObject({ requests: 503, costNano: 250 })
    expect(await store.scan('requestTotals', { status: 'rejected' })).toMatchObject({ requests: 502 })
    expect(await store.read('usage', { groupBy: 'key', timeZone: 'UTC' })).toMatchObject([{ requests: 1 }])
    expect(
      await store.read('usage', { groupBy: 'key', timeZone: 'UTC', from: NOON, to: NOON + 1 }),
    ).toMatchObject([{ requests: 1 }])
  })

  test('counts repeated refused calls, but no admitted request', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('recordRefused', {
      id: 'req_1',
      createdAt: NOON,
      keyId: 'key_a',
      requestedModel: 'small',
      stream: false,
      httpStatus: 402,
      error: { type: 'insufficient_quota', message: 'at the cap' },
      client: null,
    })
    await recordRequest(store, 'req_2')
    for (const id of ['req_1', 'req_2', 'req_3']) {
      await store.write('countRefused', { id, count: 37, lastAt: NOON + 5_000 })
    }
    expect(await store.read('getRequest', 'req_1')).toMatchObject({ count: 37, lastAt: NOON + 5_000 })
    expect(await store.read('getRequest', 'req_2')).toMatchObject({ count: 1, lastAt: null })
  })

  test('stores prompts and answers only when enabled, and separately from the listing', async () => {
    const store = await storeWithKeys('key_a')
    await recordRequest(store, 'req_1')
    await recordRequest(store, 'req_2', {}, { bodies: { request: '{"p":1}', response: null } })
    expect(await store.read('getBodies', 'req_1')).toBeNull()
    expect(await store.read('getBodies', 'req_2')).toEqual({
      requestId: 'req_2',
      request: '{"p":1}',
      response: null,
    })
    const { rows } = await store.read('listRequests', { limit: 10 })
    expect(rows.map(({ id, bodiesKept }) => [id, bodiesKept])).toEqual([
      ['req_2', true],
      ['req_1', false],
    ])
  })

  test('stores the sealed answer together with the charge', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('claimIdempotency', claim)
    await store.write('openRequest', sampleRequest('req_1'))
    const sealed = Uint8Array.of(9, 8, 7)
    await store.write(
      'settleRequest',
      sampleSettlement('req_1', { idempotency: { id: 'idem', status: 200, sealed } }),
    )
    expect(await store.write('claimIdempotency', claim)).toMatchObject({
      claimed: false,
      existing: { state: 'done', status: 200, sealed },
    })
  })

  test('deletes the claim when the settlement requests it', async () => {
    const store = await storeWithKeys('key_a')
    await store.write('claimIdempotency', claim)
    await store.write('openRequest', sampleRequest('req_1'))
    await store.write('settleRequest', sampleSettlement('req_1', { idempotency: { id: 'idem', drop: true } }))
    expect(await store.write('claimIdempotency', claim)).toEqual({ claimed: true })
  })
})
