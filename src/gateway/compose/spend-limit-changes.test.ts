// The immediate effect of a change of limits, and the effect that a rehearsal predicts.
import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import { startWithClock } from '../testing/clocked-gateway.ts'

describe('changes of limits', () => {
  it('a new limit counts what was spent before; a raised or removed one lets requests pass', async () => {
    const { price, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
    const { statuses, patch } = await keyWith()
    expect(await statuses(3)).toEqual([200, 200, 200])
    const added = await patch({ spendLimits: [{ usd: calls(2), per: 'week' }] })
    expect(added.json.spendLimits[0].spentUsd).toBeCloseTo(3 * price, 9)
    expect(await statuses(1)).toEqual([402])
    await patch({ spendLimits: [{ usd: calls(4), per: 'week' }] })
    expect(await statuses(2)).toEqual([200, 402])
    await patch({ spendLimits: [] })
    expect(await statuses(1)).toEqual([200])
  })

  it('one that only warns stops nothing, and alerts by its name', async () => {
    const { tollgate, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
    await tollgate.call('PATCH', '/v1/settings', { body: { notifyAtPercent: [] } })
    const { statuses, id } = await keyWith({ usd: calls(2), per: 'day', action: 'warn' })
    const alerts: unknown[] = []
    tollgate.gateway.subscribe((event) => event.type === 'cap-alert' && alerts.push(event.alert))
    expect(await statuses(3)).toEqual([200, 200, 200])
    expect(alerts).toMatchObject([
      { keyId: id, name: 'Coding', percent: 100, limit: { per: 'day', action: 'warn', index: 0 } },
    ])
  })

  it('a model without a price is refused under a limit that stops, and not under one that warns', async () => {
    const { tollgate, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
    await tollgate.addProvider('none', 'http://127.0.0.1:9/v1', [])
    await tollgate.call('PUT', '/v1/models/unpriced', { body: { provider: 'none' } })
    const stop = await keyWith({ usd: 1, per: 'day' })
    expect((await stop.ask({ model: 'unpriced' })).json.error.code).toBe('model_unpriced')
    const other = await keyWith({ usd: 1, per: 'day', model: 'sandbox-*' })
    const warn = await keyWith({ usd: 1, per: 'day', action: 'warn' })
    for (const { ask } of [other, warn]) expect((await ask({ model: 'unpriced' })).status).toBe(502)
  })
})

describe('a rehearsal', () => {
  it('says which requests of the key a limit would have stopped, and changes nothing', async () => {
    const { tollgate, clock, price, calls, keyWith } = await startWithClock(
      '2026-11-12T10:00:00Z',
      'Europe/Berlin',
    )
    const { id, statuses, ask, get } = await keyWith()
    const rehearse = (limit: object, more: object = {}) =>
      tollgate.call('POST', '/v1/rehearse', { body: { limit, keyId: id, ...more } })
    await statuses(3, { 'x-tollgate-session': 'one' })
    clock.wall = Date.parse('2026-11-13T10:00:00Z')
    await statuses(1, { 'x-tollgate-session': 'two' })
    // Already the next day in Berlin.
    clock.wall = Date.parse('2026-11-19T23:30:00Z')
    await statuses(2, { 'x-tollgate-session': 'three' })
    await ask({ model: 'sandbox-large' }, { 'x-tollgate-session': 'four' })
    clock.wall = Date.parse('2026-11-22T10:00:00Z')
    const [first, last] = ['2026-11-12T10:00:00.000Z', '2026-11-19T23:30:00.000Z']
    for (const [limit, requests, changed, days, firstAt] of [
      [{ usd: calls(4), per: 'lifetime' }, 7, 3, 1, last],
      [{ usd: calls(1), per: 'day', model: '*small' }, 6, 3, 2, first],
      [{ usd: calls(2), per: 'session' }, 7, 1, 1, first],
      [{ usd: calls(2), per: 'day', window: 'rolling' }, 7, 2, 2, first],
      [{ usd: 0, per: 'month', model: '*large' }, 1, 1, 1, last],
      [{ usd: calls(1), per: 'day', action: 'warn' }, 7, 4, 2, first],
      [{ usd: 100, per: 'week' }, 7, 0, 0, null],
    ] as const)
      expect([limit, (await rehearse(limit)).json]).toMatchObject([
        limit,
        { requests, changed, days, firstAt },
      ])
    const { json } = await rehearse({ usd: calls(1), per: 'day', model: '*small' })
    expect([json.timeZone, json.from]).toEqual(['Europe/Berlin', '2026-10-23T22:00:00.000Z'])
    expect(json.savedUsd).toBeCloseTo(3 * price, 9)
    expect(json.afterUsd).toBeCloseTo(json.beforeUsd - 3 * price, 9)
    const record = (await tollgate.call('GET', `/v1/requests/${json.data[0].requestId}`)).json
    expect(json.data).toHaveLength(3)
    expect(json.data[0]).toMatchObject({ askedModel: 'sandbox-small', model: null, costUsd: record.costUsd })
    const warned = await rehearse({ usd: calls(1), per: 'day', action: 'warn' })
    expect(warned.json).toMatchObject({ savedUsd: 0, afterUsd: warned.json.beforeUsd })
    expect((await rehearse({ usd: 0, per: 'day' }, { days: 3 })).json).toMatchObject({
      requests: 3,
      changed: 3,
    })
    expect((await get()).spendLimits).toEqual([])
    const bad = await rehearse({ usd: 'x', per: 'day' })
    expect([bad.status, bad.json.error.param]).toEqual([400, 'limit.usd'])
    expect((await rehearse({ usd: 1, per: 'day' }, { keyId: 'key_x' })).status).toBe(404)
  })

  it('counts what was spent before the days that it looks at', async () => {
    const { tollgate, clock, calls, keyWith } = await startWithClock('2026-09-01T10:00:00Z', 'UTC', {
      billed: true,
    })
    const { statuses } = await keyWith()
    await statuses(2)
    clock.wall = Date.parse('2026-11-22T10:00:00Z')
    await statuses(2)
    const rehearse = async (limit: object) =>
      (await tollgate.call('POST', '/v1/rehearse', { body: { limit } })).json
    // The first call of the gateway is one, too.
    expect(await rehearse({ usd: calls(4), per: 'lifetime' })).toMatchObject({ requests: 2, changed: 1 })
    expect(await rehearse({ usd: calls(4), per: 'month' })).toMatchObject({ requests: 2, changed: 0 })
  })
})

it('live events of a key and of the account have the limits that were just set', async () => {
  const { tollgate, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
  const { patch } = await keyWith()
  const events: LiveEvent[] = []
  tollgate.gateway.subscribe((event) => events.push(event))
  await patch({ spendLimits: [{ usd: 3, per: 'session' }] })
  await tollgate.call('PATCH', '/v1/account', { body: { spendLimits: [{ usd: 9, per: 'day' }] } })
  expect(events.findLast((event) => event.type === 'key')).toMatchObject({
    key: { spendLimits: [{ usd: 3, per: 'session', spentUsd: 0 }] },
  })
  expect(events.findLast((event) => event.type === 'account')).toMatchObject({
    account: { spendLimits: [{ usd: 9, per: 'day' }] },
  })
})
