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
  it('says when limits would have stopped the key, and changes nothing', async () => {
    const { tollgate, clock, price, calls, keyWith } = await startWithClock(
      '2026-11-12T10:00:00Z',
      'Europe/Berlin',
    )
    const { id, statuses, ask, get } = await keyWith()
    const rehearse = async (body: object) =>
      (await tollgate.call('POST', `/v1/keys/${id}/spend-limits/rehearse`, { body })).json
    await statuses(3, { 'x-tollgate-session': 'one' })
    clock.wall = Date.parse('2026-11-13T10:00:00Z')
    await statuses(1, { 'x-tollgate-session': 'two' })
    clock.wall = Date.parse('2026-11-19T23:30:00Z')
    await statuses(2, { 'x-tollgate-session': 'three' })
    await ask({ model: 'sandbox-large' }, { 'x-tollgate-session': 'four' })
    clock.wall = Date.parse('2026-11-22T10:00:00Z')
    const { limits, timeZone, from } = await rehearse({
      spendLimitUsd: calls(4),
      spendLimits: [
        { usd: calls(1), per: 'day', model: '*small' },
        { usd: calls(2), per: 'session' },
        { usd: calls(3), per: 'day', window: 'rolling' },
        { usd: calls(2), per: 'month', model: '*large' },
        { usd: 100, per: 'week' },
      ],
    })
    expect([timeZone, from]).toEqual(['Europe/Berlin', '2026-10-23T22:00:00.000Z'])
    const dates = (index: number) => limits[index].stops.map(({ date }: { date: string }) => date)
    expect(limits[5]).toMatchObject({ param: 'spendLimits[5]', stopCount: 1 })
    expect(dates(5)).toEqual(['2026-11-13'])
    expect(limits[0].param).toBe('spendLimits[0]')
    expect(dates(0)).toEqual(['2026-11-12', '2026-11-13', '2026-11-20'])
    expect(limits[0].stops[0].spentUsd).toBeCloseTo(3 * price, 9)
    expect(limits[0].stops[0].preventedUsd).toBeCloseTo(2.5 * price, 8)
    expect(limits[0].stops[0].stoppedAt).toBe('2026-11-12T10:00:00.000Z')
    expect(limits[1].stops.map(({ sessionId }: { sessionId: string }) => sessionId)).toHaveLength(
      limits[1].stopCount,
    )
    expect(dates(1)).toEqual(expect.arrayContaining(['2026-11-12', '2026-11-20']))
    expect(dates(2)).toEqual(expect.arrayContaining(['2026-11-12']))
    expect(limits[4]).toMatchObject({ stops: [], stopCount: 0, preventedUsd: 0 })
    expect((await rehearse({ spendLimits: [{ usd: 0, per: 'day' }], days: 3 })).limits[0].stopCount).toBe(1)
    expect((await get()).spendLimits).toEqual([])
    const bad = await tollgate.call('POST', `/v1/keys/${id}/spend-limits/rehearse`, {
      body: { spendLimits: [{ usd: 'x', per: 'day' }] },
    })
    expect([bad.status, bad.json.error.param]).toEqual([400, 'spendLimits[0].usd'])
  })

  it('says when limits would have stopped all keys', async () => {
    const { tollgate, clock, calls, keyWith } = await startWithClock('2026-11-12T10:00:00Z', 'UTC', {
      billed: true,
    })
    await (await keyWith()).statuses(2)
    clock.wall = Date.parse('2026-11-22T10:00:00Z')
    const account = await tollgate.call('POST', '/v1/account/spend-limits/rehearse', {
      body: { monthlyLimitUsd: calls(1) },
    })
    expect(account.json.limits).toMatchObject([{ param: 'spendLimits[0]', stops: [{ date: '2026-11-12' }] }])
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
