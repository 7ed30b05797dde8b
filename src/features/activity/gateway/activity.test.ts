// The activity history: what is recorded, who did it, and what is unread.

import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Clock } from '../../../gateway/platform/clock.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forEachTest } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import { type ActivityEntry, ActivityList } from '../../../shared/api/activity.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
let passed = 0
const clock: Clock = { now: () => NOW + passed, monotonic: () => passed }
/** One request costs $1. */
const pricing = { inputPerMillion: 0, outputPerMillion: 0, perThousandRequests: 1000 }
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

let admin: ActivityEntry['actor']

beforeEach(() => {
  passed = 0
})
const tollgate = forEachTest(() => startTestGateway({ clock }))
const upstream = forEachTest(() => startTestUpstream(billing(10, 1)))
beforeEach(async () => {
  await tollgate.addProvider('mine', upstream.url, [], { name: 'Mine' })
  await tollgate.call('PUT', '/v1/models/m', { body: { provider: 'mine', pricing } })
  const { json } = await tollgate.call('GET', '/v1/key')
  admin = { kind: 'key', id: json.id, name: json.name }
})

const list = async (query = ''): Promise<ActivityList> =>
  (await tollgate.call('GET', `/v1/activity${query}`)).json

/** The entries once there are so many; the newest first, without what is null. */
async function entries(count: number, query = ''): Promise<Record<string, unknown>[]> {
  const { data } = await vi.waitFor(async () => {
    const found = await list(query)
    expect(found.data).toHaveLength(count)
    return found
  })
  return data.map(({ id: _id, unread: _unread, ...entry }) =>
    Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)),
  )
}

const asOwner = (method: string, path: string, body?: object) =>
  tollgate.gateway.fetchAsOwner(
    new Request(`http://owner${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    }),
  )

const at = new Date(NOW).toISOString()
const owner = { kind: 'owner', id: null, name: null }
const gateway = { kind: 'gateway', id: null, name: null }
const account = { kind: 'account', id: null, name: null }

const monthly = { per: 'month', index: 0 }

describe('what is recorded', () => {
  test('a pause and a resume of a key, once each, with who did it', async () => {
    const { id } = await tollgate.createKey({ name: 'Agents', scope: 'full' })
    await asOwner('POST', `/v1/keys/${id}/pause`, { reason: 'Lunch' })
    await asOwner('POST', `/v1/keys/${id}/pause`, { reason: 'Again' })
    await tollgate.call('POST', `/v1/keys/${id}/resume`)
    await tollgate.call('POST', `/v1/keys/${id}/resume`)
    const subject = { kind: 'key', id, name: 'Agents' }
    expect(await entries(2)).toEqual([
      { kind: 'key-resumed', at, actor: admin, subject },
      { kind: 'key-paused', at, actor: owner, subject, reason: 'Lunch' },
    ])
  })

  test('a pause and a resume of everything', async () => {
    await tollgate.call('POST', '/v1/pause')
    await asOwner('POST', '/v1/resume')
    expect(await entries(2)).toEqual([
      { kind: 'all-resumed', at, actor: owner, subject: account },
      { kind: 'all-paused', at, actor: admin, subject: account },
    ])
  })

  test('a pause by the runaway guard, with its reason', async () => {
    const { id, secret } = await tollgate.createKey({ name: 'Loop', scope: 'full' })
    for (let nth = 0; nth < 30; nth++) {
      await tollgate.chat({ model: 'm' }, { as: secret })
      passed += 60_000
    }
    const [entry] = await entries(1)
    expect(entry).toMatchObject({
      kind: 'key-paused',
      actor: { kind: 'guard', id: null, name: null },
      subject: { kind: 'key', id, name: 'Loop' },
      reason: 'It sent the same prompt 30 times, which cost $30.00.',
    })
  })

  test('each limit that spend reaches, whatever the percentages of alerts, with the amounts', async () => {
    await tollgate.call('PATCH', '/v1/settings', { body: { notifyAtPercent: [] } })
    const { id, secret } = await tollgate.createKey({
      name: 'Docs',
      scope: 'full',
      spendLimitUsd: 2,
      spendLimits: [{ usd: 1.5, per: 'day', model: 'm', action: 'warn' }],
    })
    for (let nth = 0; nth < 3; nth++) await tollgate.chat({ model: 'm' }, { as: secret })
    const subject = { kind: 'key', id, name: 'Docs' }
    const common = { kind: 'limit-reached', at, actor: gateway, subject, spentUsd: 2 }
    const daily = { per: 'day', model: 'm', action: 'warn', index: 0 }
    const found = await entries(2)
    expect(found).toHaveLength(2)
    const cap = { per: 'lifetime', index: 1 }
    expect(found).toContainEqual({ ...common, limitUsd: 2, limit: cap })
    expect(found).toContainEqual({ ...common, limitUsd: 1.5, limit: daily })
  })

  test('the monthly limit that spend reaches', async () => {
    await asOwner('PATCH', '/v1/account', { monthlyLimitUsd: 1 })
    await tollgate.chat({ model: 'm' })
    expect(await entries(1, '?kind=limit-reached')).toEqual([
      {
        kind: 'limit-reached',
        at,
        actor: gateway,
        subject: account,
        limit: monthly,
        spentUsd: 1,
        limitUsd: 1,
      },
    ])
  })

  test('limits of a key that are raised, lowered, added and removed, and no other change of it', async () => {
    const { id } = await tollgate.createKey({
      name: 'Docs',
      scope: 'full',
      spendLimitUsd: 5,
      spendLimits: [
        { usd: 3, per: 'day' },
        { usd: 9, per: 'week' },
      ],
    })
    const patch = (body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })
    await patch({ name: 'Documents', rpmLimit: 5 })
    await patch({ spendLimitUsd: 10 })
    await patch({ spendLimitUsd: null })
    await patch({
      spendLimits: [
        { usd: 20, per: 'month' },
        { usd: 2, per: 'day' },
      ],
    })
    const common = {
      kind: 'limit-changed',
      at,
      actor: admin,
      subject: { kind: 'key', id, name: 'Documents' },
    }
    const cap = { per: 'lifetime', index: 2 }
    const found = await entries(5)
    expect(found.slice(-2)).toEqual([
      { ...common, limit: cap, previousLimitUsd: 10 },
      { ...common, limit: cap, previousLimitUsd: 5, limitUsd: 10 },
    ])
    expect(found.slice(0, 3)).toEqual(
      expect.arrayContaining([
        { ...common, limit: { per: 'month', index: 0 }, limitUsd: 20 },
        { ...common, limit: { per: 'day', index: 1 }, previousLimitUsd: 3, limitUsd: 2 },
        { ...common, limit: { per: 'week', index: 1 }, previousLimitUsd: 9 },
      ]),
    )
  })

  test('limits of the account, but not its plan', async () => {
    await tollgate.call('PATCH', '/v1/account', { body: { plan: 'free' } })
    await tollgate.call('PATCH', '/v1/account', {
      body: { monthlyLimitUsd: 50, spendLimits: [{ usd: 1e9, per: 'lifetime', tag: 'web' }] },
    })
    const common = { kind: 'limit-changed', at, actor: admin, subject: account }
    const found = await entries(2)
    expect(found).toContainEqual({ ...common, limit: { ...monthly, index: 1 }, limitUsd: 50 })
    // Beyond what is exact in nano-dollars, the largest exact amount.
    const limit = { per: 'lifetime', tag: 'web', index: 0 }
    expect(found).toContainEqual({ ...common, limit, limitUsd: 9_007_199.254740991 })
  })

  test('what was done to rules, by whom, and nothing for a change that is none', async () => {
    const change = async (method: string, path: string, body?: object) =>
      (await tollgate.call(method, `/v1/rules${path}`, body && { body })).json
    const { id } = await change('POST', '', { name: 'Guard', do: [{ kind: 'deny' }] })
    const subject = { kind: 'rule', id, name: 'Guard' }
    await change('PATCH', `/${id}`, { mode: 'on', at: 'any' })
    await change('PATCH', `/${id}`, { mode: 'on', name: 'Guard' })
    const added = await asOwner('POST', '/v1/rules', { do: [{ kind: 'deny' }] })
    await change('PATCH', `/${id}`, { position: 1 })
    await asOwner('DELETE', `/v1/rules/${id}`)
    const unnamed = { kind: 'rule', id: JSON.parse(await added.text()).id, name: 'Requests are refused.' }
    const done = (await entries(6, '?kind=rule-changed')).map(({ actor, subject, reason }) => [
      actor,
      subject,
      reason,
    ])
    expect(done.reverse()).toEqual([
      [admin, subject, 'added'],
      [admin, subject, 'changed'],
      [admin, subject, 'on'],
      [owner, unnamed, 'added'],
      [admin, subject, 'moved'],
      [owner, subject, 'deleted'],
    ])
  })

  test('a provider that has failed several times in a row, since its first failure, and that it works again', async () => {
    const healthy = upstream.handler
    upstream.handler = (exchange) => exchange.reply(500, { error: { message: 'It broke.' } })
    for (let nth = 0; nth < 3; nth++) {
      await tollgate.chat({ model: 'm' })
      passed += 1_000
    }
    const subject = { kind: 'provider', id: 'mine', name: 'Mine' }
    const [failing] = await entries(1)
    expect(failing).toMatchObject({ kind: 'provider-failing', actor: gateway, subject, since: at })
    expect(failing?.reason).toContain('It broke.')
    upstream.handler = healthy
    passed += 60_000
    await tollgate.chat({ model: 'm' })
    const [recovered] = await entries(2)
    expect(recovered).toMatchObject({ kind: 'provider-recovered', actor: gateway, subject })
  })

  test('a restored backup, with when it was made', async () => {
    await tollgate.call('POST', '/v1/pause')
    await entries(1)
    const { json: backup } = await tollgate.call('POST', '/v1/backups')
    await tollgate.call('POST', '/v1/resume')
    await tollgate.call('POST', `/v1/backups/${encodeURIComponent(backup.id)}/restore`)
    await tollgate.restart()
    expect(await entries(2)).toEqual([
      {
        kind: 'backup-restored',
        at,
        actor: admin,
        subject: { kind: 'backup', id: backup.id, name: null },
        since: backup.madeAt,
        reason: 'requested',
      },
      { kind: 'all-paused', at, actor: admin, subject: account },
    ])
  })

  test('a sign-in from a browser, once until it was not used for 12 hours; no other program signs in', async () => {
    const signIn = (agent: string, as = tollgate.admin) =>
      tollgate.call('GET', '/v1/key', { as, headers: { 'user-agent': agent } })
    const { secret } = await tollgate.createKey({ name: 'agent', scope: 'full' })
    await signIn(FIREFOX, secret)
    await signIn('curl/8.0')
    await asOwner('GET', '/v1/key')
    await signIn(FIREFOX)
    await signIn(FIREFOX)
    passed += 12 * 3_600_000
    await signIn(FIREFOX)
    const [again, first] = await entries(2)
    const subject = { kind: 'key', id: admin.id, name: admin.name }
    expect(first).toEqual({ kind: 'signed-in', at, actor: admin, subject, address: '127.0.0.1' })
    expect(again).toMatchObject({ kind: 'signed-in', actor: admin })
  })
})

describe('the list', () => {
  test('has pages in order, also of one kind, and refuses a cursor of another list', async () => {
    for (let nth = 0; nth < 3; nth++) {
      await tollgate.call('POST', '/v1/pause')
      await tollgate.call('POST', '/v1/resume')
    }
    await entries(6)
    const kinds: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: ActivityList = await list(`?limit=4${cursor && `&cursor=${cursor}`}`)
      kinds.push(...page.data.map(({ kind }) => kind))
      cursor = page.nextCursor
    }
    expect(kinds).toEqual(Array.from({ length: 3 }, () => ['all-resumed', 'all-paused']).flat())
    const first = await list('?kind=all-paused&limit=2')
    const second = await list(`?kind=all-paused&limit=2&cursor=${first.nextCursor}`)
    expect([first, second].map(({ data }) => data.map(({ kind }) => kind))).toEqual([
      ['all-paused', 'all-paused'],
      ['all-paused'],
    ])
    expect(second.nextCursor).toBeNull()
    const refused = await tollgate.call('GET', '/v1/activity?cursor=nonsense')
    expect([refused.status, refused.json.error.param]).toEqual([400, 'cursor'])
  })

  test('counts what is unread, which survives a restart; one’s own entries are never unread', async () => {
    await asOwner('POST', '/v1/pause')
    await asOwner('POST', '/v1/resume')
    await tollgate.call('POST', '/v1/pause')
    await entries(3)
    const unreadOfOwner = async () => {
      const json: unknown = await (await asOwner('GET', '/v1/activity')).json()
      return ActivityList.parse(json).unread
    }
    expect([(await list()).unread, await unreadOfOwner()]).toEqual([2, 1])
    const { data } = await list()
    expect(data.map(({ unread }) => unread)).toEqual([false, true, true])
    const [newest, middle, oldest] = data.map(({ id }) => id)
    const see = (until: string | undefined) => tollgate.call('POST', '/v1/activity/seen', { body: { until } })
    expect((await see(oldest)).json).toEqual({ unread: 1 })
    expect((await list()).data.map(({ unread }) => unread)).toEqual([false, true, false])
    await tollgate.restart()
    expect([(await list()).unread, await unreadOfOwner()]).toEqual([1, 1])
    expect((await see(middle)).json).toEqual({ unread: 0 })
    expect((await see(oldest)).json).toEqual({ unread: 0 })
    // An id that does not exist yet hides nothing that comes later.
    expect((await see('act_999999')).json).toEqual({ unread: 0 })
    expect(newest).toBe('act_3')
    await asOwner('POST', '/v1/resume')
    await entries(4)
    expect((await list()).unread).toBe(1)
    const refused = await see('3')
    expect([refused.status, refused.json.error.param]).toEqual([400, 'until'])
  })

  test('a live event says that there is more, or that something was seen', async () => {
    let heard = 0
    tollgate.gateway.subscribe(() => {
      heard += 1
    }, ['activity'])
    await tollgate.call('POST', '/v1/pause')
    await vi.waitFor(() => expect(heard).toBe(1))
    const [entry] = (await list()).data
    await tollgate.call('POST', '/v1/activity/seen', { body: { until: entry?.id } })
    expect(heard).toBe(2)
  })
})
