// Limits per day, week, month, session and model over HTTP, with a clock that the tests set.
import { describe, expect, it } from 'vitest'
import { startWithClock } from '../testing/clocked-gateway.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('a cap per day', () => {
  it('stops at the limit, names itself, and starts again at midnight of the user’s zone', async () => {
    const { tollgate, clock, price, calls, keyWith } = await startWithClock(
      '2026-11-22T12:00:00Z',
      'Europe/Berlin',
    )
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
    expect((await tollgate.getKey(id)).spendLimits).toEqual([shown])
    clock.wall = Date.parse('2026-11-22T22:59:59Z')
    expect(await statuses(1)).toEqual([402])
    clock.wall = Date.parse('2026-11-22T23:00:00Z')
    expect(await statuses(3)).toEqual([200, 200, 402])
  })

  it('lasts 25 hours where clocks are set back, and follows a change of the zone', async () => {
    const { tollgate, clock, calls, keyWith } = await startWithClock('2026-10-24T22:30:00Z', 'Europe/Berlin')
    const { get, statuses } = await keyWith({ usd: calls(1), per: 'day' })
    expect(await statuses(2)).toEqual([200, 402])
    expect((await get()).spendLimits[0].resetsAt).toBe('2026-10-25T23:00:00.000Z')
    clock.wall += 24 * HOUR
    expect(await statuses(1)).toEqual([402])
    await tollgate.call('PATCH', '/v1/settings', { body: { timeZone: 'Asia/Tokyo' } })
    // There it is the 26th, and the call was made on the 25th.
    expect(await statuses(2)).toEqual([200, 402])
  })

  it('is as before after a restart, and after the clock was ahead for a while', async () => {
    const { tollgate, clock, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
    const { statuses } = await keyWith({ usd: calls(2), per: 'day' }, { usd: calls(2), per: 'month' })
    expect(await statuses(1)).toEqual([200])
    await tollgate.restart()
    expect(await statuses(2)).toEqual([200, 402])
    clock.wall += 70 * DAY
    await tollgate.restart()
    clock.wall -= 70 * DAY
    // Whatever is known yet of this day, it is not less than what was spent.
    expect(await statuses(1)).toEqual([402])
  })
})

describe('other periods', () => {
  it('a rolling day lets spend leave after 24 hours, at most 15 minutes late, also after a restart', async () => {
    const { tollgate, clock, calls, keyWith } = await startWithClock('2026-11-22T12:07:00Z')
    const { statuses, get } = await keyWith({ usd: calls(2), per: 'day', window: 'rolling' })
    expect(await statuses(1)).toEqual([200])
    clock.wall += 6 * HOUR
    expect(await statuses(2)).toEqual([200, 402])
    expect((await get()).spendLimits[0].resetsAt).toBeNull()
    await tollgate.restart()
    clock.wall = Date.parse('2026-11-23T12:07:00Z')
    expect(await statuses(1)).toEqual([402])
    clock.wall = Date.parse('2026-11-23T12:15:00Z')
    expect(await statuses(2)).toEqual([200, 402])
    // Back by an hour: what has left counts again.
    clock.wall -= HOUR
    expect(await statuses(1)).toEqual([402])
  })

  it('each session has a limit of its own, which a restart does not renew', async () => {
    const { tollgate, price, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
    const { statuses, ask, get } = await keyWith({ usd: calls(2), per: 'session' })
    const first = { 'x-tollgate-session': 'one' }
    expect(await statuses(3, first)).toEqual([200, 200, 402])
    expect((await ask({}, first)).json.error.message).toMatch(
      / per session of the key "Coding" .*Start a new session/,
    )
    expect(await statuses(1, { 'x-tollgate-session': 'two' })).toEqual([200])
    expect((await get()).spendLimits[0].spentUsd).toBeCloseTo(price, 9)
    await tollgate.restart()
    expect(await statuses(1, first)).toEqual([402])
    expect(await statuses(2, { 'x-tollgate-session': 'two' })).toEqual([200, 402])
  })
})

describe('a limit for a model', () => {
  it('counts only what it serves, and leaves fallbacks to others', async () => {
    const { tollgate, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z')
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
    const { tollgate, price, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z', 'UTC', {
      billed: true,
    })
    const one = await keyWith()
    const two = await keyWith()
    const spendLimits = [{ usd: calls(2), per: 'day', tag: 'Website' }]
    await tollgate.call('PATCH', '/v1/account', { body: { spendLimits } })
    const tagged = { 'x-tollgate-tag': 'Website' }
    expect(await one.statuses(1, tagged)).toEqual([200])
    await tollgate.restart()
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

  it('of a project hold for its keys, whatever project a request names', async () => {
    const { tollgate, keyWith } = await startWithClock('2026-11-22T12:00:00Z', 'UTC', { billed: true })
    await tollgate.call('PATCH', '/v1/account', {
      body: { spendLimits: [{ usd: 0, per: 'day', tag: 'Website' }] },
    })
    const { id, statuses } = await keyWith()
    expect(await statuses(1, { 'x-tollgate-tag': 'other' })).toEqual([200])
    await tollgate.call('PATCH', `/v1/keys/${id}`, { body: { tag: 'Website' } })
    expect(await statuses(1, { 'x-tollgate-tag': 'other' })).toEqual([402])
  })

  it('of one project per session count none of what the session has spent on others, also after a restart', async () => {
    const { tollgate, calls, keyWith } = await startWithClock('2026-11-22T12:00:00Z', 'UTC', { billed: true })
    const { statuses } = await keyWith()
    const session = { 'x-tollgate-session': 'one' }
    const tagged = { ...session, 'x-tollgate-tag': 'Website' }
    expect(await statuses(3, session)).toEqual([200, 200, 200])
    const spendLimits = [{ usd: calls(2), per: 'session', tag: 'Website' }]
    await tollgate.call('PATCH', '/v1/account', { body: { spendLimits } })
    expect(await statuses(1, tagged)).toEqual([200])
    await tollgate.restart()
    expect(await statuses(2, tagged)).toEqual([200, 402])
    expect(await statuses(1, session)).toEqual([200])
  })
})
