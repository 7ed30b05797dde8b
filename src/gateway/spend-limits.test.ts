// Limits per day, week, month, session and model over HTTP, with a clock that the tests set.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { LiveEvent } from '../shared/events.ts'
import { startTestGateway, type TestGateway } from './testing/gateway.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let wall = 0
let dataDir = ''
let tollgate: TestGateway
const clock = { now: () => wall, monotonic: () => performance.now() }

/** The cost of one call of `ask`, in USD. */
let price = 0

async function start(now: string, timeZone = 'UTC'): Promise<void> {
  wall = Date.parse(now)
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-limits-'))
  tollgate = await startTestGateway({ clock, dataDir })
  await tollgate.call('PATCH', '/v1/settings', { body: { timeZone } })
  price = (await tollgate.chat({})).json.usage.cost
}
async function restart(): Promise<void> {
  const { admin } = tollgate
  await tollgate.gateway.close()
  tollgate = await startTestGateway({ clock, dataDir, admin })
}
afterEach(async () => {
  await tollgate.gateway.close()
  rmSync(dataDir, { recursive: true })
})

/** USD for so many calls and a half: the limit stops one later. */
const calls = (count: number) => Math.round((count - 0.5) * price * 1e9) / 1e9

async function keyWith(...spendLimits: object[]) {
  const { id, secret } = await tollgate.createKey({ name: 'Coding', scope: 'full', spendLimits })
  const ask = async (body: object = {}, headers = {}) => tollgate.chat({ ...body }, { as: secret, headers })
  const get = async () => (await tollgate.call('GET', '/v1/key', { as: secret })).json
  const patch = (body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })
  const statuses = async (count: number, headers = {}) => {
    const found: number[] = []
    for (let n = 0; n < count; n++) found.push((await ask({}, headers)).status)
    return found
  }
  return { id, secret, ask, get, patch, statuses }
}

describe('a cap per day', () => {
  it('stops at the limit, names itself, and starts anew at midnight of the user’s zone', async () => {
    await start('2026-11-22T12:00:00Z', 'Europe/Berlin')
    const { ask, get, statuses, id } = await keyWith({ usd: calls(2), per: 'day' })
    expect(await statuses(3)).toEqual([200, 200, 402])
    const { json, headers } = await ask()
    expect(json.error).toMatchObject({
      type: 'insufficient_quota',
      code: 'spend_limit_reached',
      param: 'spendLimits[0]',
      message: expect.stringMatching(
        /^The daily cap of \$\S+ of the key "Coding" is used up: .* It resets on 23 Nov at 00:00\./,
      ),
    })
    expect(headers.get('x-should-retry')).toBe('false')
    const [shown] = (await get()).spendLimits
    expect(shown).toMatchObject({ per: 'day', reservedUsd: 0, resetsAt: '2026-11-22T23:00:00.000Z' })
    expect(shown.spentUsd).toBeCloseTo(2 * price, 9)
    expect((await tollgate.call('GET', `/v1/keys/${id}`)).json.spendLimits).toEqual([shown])
    wall = Date.parse('2026-11-22T22:59:59Z')
    expect(await statuses(1)).toEqual([402])
    wall = Date.parse('2026-11-22T23:00:00Z')
    expect(await statuses(3)).toEqual([200, 200, 402])
  })

  it('lasts 25 hours where clocks are set back, and follows a change of the zone', async () => {
    await start('2026-10-24T22:30:00Z', 'Europe/Berlin')
    const { get, statuses } = await keyWith({ usd: calls(1), per: 'day' })
    expect(await statuses(2)).toEqual([200, 402])
    expect((await get()).spendLimits[0].resetsAt).toBe('2026-10-25T23:00:00.000Z')
    wall += 24 * HOUR
    expect(await statuses(1)).toEqual([402])
    await tollgate.call('PATCH', '/v1/settings', { body: { timeZone: 'Asia/Tokyo' } })
    // There it is the 26th, and the call was made on the 25th.
    expect(await statuses(2)).toEqual([200, 402])
  })

  it('is as before after a restart, and after the clock was ahead for a while', async () => {
    await start('2026-11-22T12:00:00Z')
    const { statuses } = await keyWith({ usd: calls(2), per: 'day' }, { usd: calls(2), per: 'month' })
    expect(await statuses(1)).toEqual([200])
    await restart()
    expect(await statuses(2)).toEqual([200, 402])
    wall += 70 * DAY
    await restart()
    wall -= 70 * DAY
    // Whatever is known yet of this day, it is not less than what was spent.
    expect(await statuses(1)).toEqual([402])
  })
})

describe('other periods', () => {
  it('weeks begin on Monday, and months of 31 and 28 days end when they do', async () => {
    await start('2027-01-31T12:00:00Z')
    const week = await keyWith({ usd: 1, per: 'week' })
    const month = await keyWith({ usd: 1, per: 'month' })
    expect((await week.get()).spendLimits[0].resetsAt).toBe('2027-02-01T00:00:00.000Z')
    expect((await month.get()).spendLimits[0].resetsAt).toBe('2027-02-01T00:00:00.000Z')
    wall += DAY
    expect((await week.get()).spendLimits[0].resetsAt).toBe('2027-02-08T00:00:00.000Z')
    expect((await month.get()).spendLimits[0].resetsAt).toBe('2027-03-01T00:00:00.000Z')
  })

  it('a rolling day lets spend leave after 24 hours, at most 15 minutes late, also after a restart', async () => {
    await start('2026-11-22T12:07:00Z')
    const { statuses, get } = await keyWith({ usd: calls(2), per: 'day', window: 'rolling' })
    expect(await statuses(1)).toEqual([200])
    wall += 6 * HOUR
    expect(await statuses(2)).toEqual([200, 402])
    expect((await get()).spendLimits[0].resetsAt).toBeNull()
    await restart()
    wall = Date.parse('2026-11-23T12:07:00Z')
    expect(await statuses(1)).toEqual([402])
    wall = Date.parse('2026-11-23T12:15:00Z')
    expect(await statuses(2)).toEqual([200, 402])
    // Back by an hour: what has left counts again.
    wall -= HOUR
    expect(await statuses(1)).toEqual([402])
  })

  it('each session has a limit of its own, which a restart does not renew', async () => {
    await start('2026-11-22T12:00:00Z')
    const { statuses, ask, get } = await keyWith({ usd: calls(2), per: 'session' })
    const first = { 'x-tollgate-session': 'one' }
    expect(await statuses(3, first)).toEqual([200, 200, 402])
    expect((await ask({}, first)).json.error.message).toMatch(
      / per session of the key "Coding" .*Start a new session/,
    )
    expect(await statuses(1, { 'x-tollgate-session': 'two' })).toEqual([200])
    expect((await get()).spendLimits[0].spentUsd).toBeCloseTo(price, 9)
    await restart()
    expect(await statuses(1, first)).toEqual([402])
    expect(await statuses(2, { 'x-tollgate-session': 'two' })).toEqual([200, 402])
  })
})

describe('a limit for a model', () => {
  it('counts only what it serves, and leaves fallbacks to others', async () => {
    await start('2026-11-22T12:00:00Z')
    const { statuses, ask } = await keyWith({ usd: calls(1), per: 'lifetime', model: 'sandbox/*-small' })
    expect((await ask({ model: 'sandbox-large' })).status).toBe(200)
    expect(await statuses(2)).toEqual([200, 402])
    expect((await ask({ model: 'sandbox-large' })).status).toBe(200)
    const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
    await tollgate.call('PUT', '/v1/models/sandbox-small', {
      body: { fallbacks: ['sandbox-large'], pricing },
    })
    expect((await ask()).json.model).toBe('sandbox-large')
  })
})

describe('limits of the account', () => {
  it('count all keys, by tag and by session', async () => {
    await start('2026-11-22T12:00:00Z')
    const one = await keyWith()
    const two = await keyWith()
    const spendLimits = [{ usd: calls(2), per: 'day', tag: 'Website' }]
    await tollgate.call('PATCH', '/v1/account', { body: { spendLimits } })
    const tagged = { 'x-tollgate-tag': 'Website' }
    expect(await one.statuses(1, tagged)).toEqual([200])
    await restart()
    expect(await two.statuses(2, tagged)).toEqual([200, 402])
    expect((await one.ask({}, tagged)).json.error).toMatchObject({
      code: 'account_limit_reached',
      param: 'spendLimits[0]',
      message: expect.stringContaining('for the project "Website" of all keys'),
    })
    expect(await one.statuses(2)).toEqual([200, 200])
    const { json } = await tollgate.call('GET', '/v1/account')
    expect(json.spendLimits[0].spentUsd).toBeCloseTo(2 * price, 9)
  })
})

describe('changes of limits', () => {
  it('a new limit counts what was spent before; a raised or removed one lets requests pass', async () => {
    await start('2026-11-22T12:00:00Z')
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
    await start('2026-11-22T12:00:00Z')
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
    await start('2026-11-22T12:00:00Z')
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
    await start('2026-11-12T10:00:00Z', 'Europe/Berlin')
    const { id, statuses, ask, get } = await keyWith()
    const rehearse = async (body: object) =>
      (await tollgate.call('POST', `/v1/keys/${id}/spend-limits/rehearse`, { body })).json
    await statuses(3, { 'x-tollgate-session': 'one' })
    wall = Date.parse('2026-11-13T10:00:00Z')
    await statuses(1, { 'x-tollgate-session': 'two' })
    wall = Date.parse('2026-11-19T23:30:00Z')
    await statuses(2, { 'x-tollgate-session': 'three' })
    await ask({ model: 'sandbox-large' }, { 'x-tollgate-session': 'four' })
    wall = Date.parse('2026-11-22T10:00:00Z')
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
    expect(limits[0]).toMatchObject({ param: 'spendLimitUsd', stopCount: 1 })
    expect(dates(0)).toEqual(['2026-11-13'])
    expect(limits[1].param).toBe('spendLimits[0]')
    expect(dates(1)).toEqual(['2026-11-12', '2026-11-13', '2026-11-20'])
    expect(limits[1].stops[0].spentUsd).toBeCloseTo(3 * price, 9)
    expect(limits[1].stops[0].preventedUsd).toBeCloseTo(2.5 * price, 8)
    expect(limits[1].stops[0].stoppedAt).toBe('2026-11-12T10:00:00.000Z')
    expect(limits[2].stops.map(({ sessionId }: { sessionId: string }) => sessionId)).toHaveLength(
      limits[2].stopCount,
    )
    expect(dates(2)).toEqual(expect.arrayContaining(['2026-11-12', '2026-11-20']))
    expect(dates(3)).toEqual(expect.arrayContaining(['2026-11-12']))
    expect(limits[5]).toMatchObject({ stops: [], stopCount: 0, preventedUsd: 0 })
    expect((await rehearse({ spendLimits: [{ usd: 0, per: 'day' }], days: 3 })).limits[0].stopCount).toBe(1)
    expect((await get()).spendLimits).toEqual([])
    const account = await tollgate.call('POST', '/v1/account/spend-limits/rehearse', {
      body: { monthlyLimitUsd: calls(1) },
    })
    expect(account.json.limits).toMatchObject([{ param: 'monthlyLimitUsd', stops: [{ date: '2026-11-12' }] }])
    const bad = await tollgate.call('POST', `/v1/keys/${id}/spend-limits/rehearse`, {
      body: { spendLimits: [{ usd: 'x', per: 'day' }] },
    })
    expect([bad.status, bad.json.error.param]).toEqual([400, 'spendLimits[0].usd'])
  })
})

it('live events of a key and of the account have the limits that were just set', async () => {
  await start('2026-11-22T12:00:00Z')
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
