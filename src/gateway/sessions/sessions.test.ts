import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'

const MINUTE = 60_000

let wall = 0
let tollgate: TestGateway

beforeEach(async () => {
  wall = Date.parse('2027-05-31T20:00:00Z')
  tollgate = await startTestGateway({ clock: { now: () => wall, monotonic: () => performance.now() } })
})
afterEach(() => tollgate.close())

/** Makes a request, and returns its record. */
async function ask(headers: Record<string, string> = {}, body = {}): Promise<RequestRecord> {
  const answer = await tollgate.chat(body, { headers })
  const id = answer.headers.get('x-service-request-id')
  return (await tollgate.call('GET', `/v1/requests/${id}`)).json
}
const getSession = async (...args: Parameters<typeof ask>) => (await ask(...args)).sessionId
const listed = async (query: string) =>
  (await tollgate.call('GET', `/v1/requests?${query}`)).json.data.map(({ id }: RequestRecord) => id)

it('puts requests of one key with the same session into one, and others not', async () => {
  const named = { 'x-tollgate-session': 'run 1' }
  const first = await ask({ ...named, 'x-tollgate-tag': 'website' })
  expect(first).toMatchObject({ sessionId: expect.stringMatching(/^ses_[0-9a-f]{32}$/), tag: 'website' })
  expect(await getSession(named)).toBe(first.sessionId)
  expect(await getSession({ 'x-tollgate-session': 'run 2' })).not.toBe(first.sessionId)
  const { secret } = await tollgate.createKey({ name: 'other', scope: 'full' })
  await tollgate.chat({}, { as: secret, headers: named })
  const [newest] = await tollgate.records()
  expect(newest?.sessionId).not.toBe(first.sessionId)
  expect((await listed(`session=${first.sessionId}`)).at(-1)).toBe(first.id)
  expect(await listed(`session=${first.sessionId}`)).toHaveLength(2)
  expect(await listed('tag=website')).toEqual([first.id])
  expect(await listed('tag=')).toHaveLength(3)
  expect(await listed('session=ses_unknown')).toEqual([])
})

it('begins a new session after a pause of 30 minutes, for each client', async () => {
  const first = await getSession()
  wall += 29 * MINUTE
  expect(await getSession()).toBe(first)
  const other = await getSession({ 'user-agent': 'other/1' })
  expect(other).not.toBe(first)
  wall += 29 * MINUTE
  expect(await getSession()).toBe(first)
  wall += 31 * MINUTE
  const second = await getSession()
  expect([first, other]).not.toContain(second)
})

it('goes on after a restart until the pause', async () => {
  const first = await getSession()
  const user = await getSession({}, { user: 'session-7' })
  wall += 10 * MINUTE
  await tollgate.restart()
  expect(await getSession()).toBe(first)
  expect(await getSession({}, { user: 'session-7' })).toBe(user)
  wall += 31 * MINUTE
  expect(await getSession({}, { user: 'session-7' })).not.toBe(user)
})

it('gives requests the tag of their key, whatever they name', async () => {
  const { secret } = await tollgate.createKey({ name: 'tagged', scope: 'full', tag: 'website' })
  for (const tag of ['docs', '', 'x'.repeat(101)])
    expect((await tollgate.chat({}, { as: secret, headers: { 'x-tollgate-tag': tag } })).status).toBe(200)
  expect((await tollgate.records()).map(({ tag }) => tag)).toEqual(['website', 'website', 'website'])
})

it('adds up each session, lists sessions in every order, and publishes changes', async () => {
  const events: LiveEvent[] = []
  tollgate.gateway.subscribe((event) => events.push(event), ['session'])
  const run = { 'x-tollgate-session': 'run', 'user-agent': 'agent/2', 'x-tollgate-tag': 'website' }
  const records = [await ask(run), await ask(run, { model: 'sandbox-large', stream: true })]
  wall += 5 * MINUTE
  records.push(await ask(run, { max_tokens: 1 }))
  // Sessions that were last active at the same moment are listed by their ids, which are random.
  wall += MINUTE
  await ask({ 'x-tollgate-session': 'other' })
  const sum = (value: (record: RequestRecord) => number) =>
    records.reduce((all, record) => all + value(record), 0)
  const { data } = (await tollgate.call('GET', '/v1/sessions')).json
  const session = data[1]
  expect(session).toEqual({
    ...{ id: records[0]?.sessionId, source: 'header', clientSessionId: 'run', title: null },
    ...{ keyId: records[0]?.keyId, keyName: records[0]?.keyName, clientName: 'agent', tag: 'website' },
    startedAt: records[0]?.createdAt,
    lastAt: expect.stringMatching(/^2027-05-31T20:05:00/),
    ...{ requests: 3, running: 0, errors: 0, refused: 0, unpriced: 0, prunedRequests: 0 },
    tokensIn: sum(({ tokensIn }) => tokensIn),
    tokensOut: sum(({ tokensOut }) => tokensOut),
    tokensCached: sum(({ usage }) => usage?.cacheRead ?? 0),
    costUsd: expect.closeTo(
      sum(({ costUsd }) => costUsd ?? Number.NaN),
      12,
    ),
    sampleUsd: session.costUsd,
    models: ['sandbox-large', 'sandbox-small'],
  })
  expect((await tollgate.call('GET', `/v1/sessions/${session.id}`)).json).toEqual(session)
  await vi.waitFor(() => expect(events).toContainEqual({ type: 'session', session }))
  for (const query of [
    'tag=website',
    'client=agent',
    'sort=cost&limit=1',
    'sort=duration&limit=1',
    'sort=requests&limit=1',
  ])
    expect((await tollgate.call('GET', `/v1/sessions?${query}`)).json.data).toEqual([session])
  for (const query of ['tag=none', 'client=none', 'key=none', 'to=2027-05-31', 'from=2027-06-01'])
    expect((await tollgate.call('GET', `/v1/sessions?${query}`)).json.data).toEqual([])
  const first = (await tollgate.call('GET', '/v1/sessions?limit=1&sort=requests&order=asc')).json
  const next = await tollgate.call(
    'GET',
    `/v1/sessions?limit=1&sort=requests&order=asc&cursor=${first.nextCursor}`,
  )
  expect([...first.data, ...next.json.data]).toEqual([data[0], session])
  expect((await tollgate.call('GET', `/v1/sessions?cursor=${first.nextCursor}`)).json.error.param).toBe(
    'cursor',
  )
  expect((await tollgate.call('GET', '/v1/sessions/ses_none')).status).toBe(404)
})

it('has usage by tag and session, and a title while prompts are stored', async () => {
  const { secret } = await tollgate.createKey({ name: 'kept', scope: 'full', storeBodies: true })
  const messages = [
    { role: 'user', content: '<system-reminder>Be brief.</system-reminder>' },
    { role: 'user', content: 'Fix the login page' },
  ]
  for (const [session, tag] of [
    ['a', 'website'],
    ['a', 'website'],
    ['b', 'docs'],
  ] as const)
    await tollgate.chat(
      { messages },
      { as: secret, headers: { 'x-tollgate-session': session, 'x-tollgate-tag': tag } },
    )
  const records = await tollgate.records()
  const usage = async (query: string) => (await tollgate.call('GET', `/v1/usage?${query}`)).json
  expect((await usage('groupBy=tag')).data).toMatchObject([
    { group: 'docs', requests: 1 },
    { group: 'website', requests: 2 },
  ])
  const bySession = await usage('groupBy=session&splitBy=tag')
  expect(bySession.data).toHaveLength(2)
  expect(bySession.data).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ group: records[1]?.sessionId, split: 'website', requests: 2 }),
      expect.objectContaining({ group: records[0]?.sessionId, label: 'Fix the login page', split: 'docs' }),
    ]),
  )
  expect(bySession.total.costUsd).toBe((await usage('groupBy=day')).total.costUsd)
  expect((await usage(`groupBy=day&session=${records[0]?.sessionId}`)).total.requests).toBe(1)
  expect((await usage('groupBy=model&tag=website')).total.requests).toBe(2)
  expect((await usage('groupBy=model&tag=')).total.requests).toBe(0)
  const totals = async (query: string) => (await tollgate.call('GET', `/v1/requests/totals?${query}`)).json
  expect(await totals('tag=website')).toEqual(await totals(`session=${records[1]?.sessionId}`))
  await tollgate.call('DELETE', '/v1/requests/bodies')
  const titles = (await tollgate.call('GET', '/v1/sessions')).json.data.map(({ title }: Session) => title)
  expect(titles).toEqual([null, null])
})

it('does not end a session by a pause while a request of it runs', async () => {
  const client = new AbortController()
  const messages = [{ role: 'user', content: '[[sandbox:stall]]' }]
  const answer = tollgate.chat({ stream: true, messages }, { signal: client.signal })
  await vi.waitFor(async () => expect((await tollgate.records())[0]?.status).toBe('running'), 10_000)
  wall += 40 * MINUTE
  const second = await getSession()
  const running = (await tollgate.records()).find(({ status }) => status === 'running')
  expect(running?.sessionId).toBe(second)
  client.abort()
  await expect(answer).rejects.toThrow()
})

it('refuses an invalid header, and names it', async () => {
  const answer = await tollgate.chat({}, { headers: { 'x-tollgate-tag': 'x'.repeat(101) } })
  expect([answer.status, answer.json.error]).toMatchObject([
    400,
    { type: 'invalid_request_error', param: 'X-Tollgate-Tag' },
  ])
})

it('records the session and the tag of a refused request', async () => {
  const { secret, id } = await tollgate.createKey({ name: 'empty', scope: 'full', spendLimitUsd: 0 })
  const headers = { 'x-tollgate-session': 'run', 'x-tollgate-tag': 'website' }
  expect((await tollgate.chat({}, { as: secret, headers })).status).toBe(402)
  await expect
    .poll(async () => (await tollgate.call('GET', `/v1/requests?key=${id}&tag=website`)).json.data)
    .toMatchObject([{ status: 'refused', tag: 'website', sessionId: expect.stringMatching(/^ses_/) }])
  expect((await tollgate.call('GET', '/v1/sessions')).json.data).toMatchObject([{ requests: 0, refused: 1 }])
})
