import { beforeEach, expect, it, vi } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'

const MINUTE = 60_000

let wall = 0
beforeEach(() => {
  wall = Date.parse('2027-05-31T20:00:00Z')
})
const tollgate = forEachTest(() => startTestGateway({ clock: { now: () => wall } }))

/** Makes a request, and returns its record. */
async function ask(headers: Record<string, string> = {}, body = {}): Promise<RequestRecord> {
  const answer = await tollgate.chat(body, { headers })
  const id = answer.headers.get('x-service-request-id')
  return await tollgate.getRecord(id)
}
const getSession = async (...args: Parameters<typeof ask>) => (await ask(...args)).sessionId

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

it('adds up each session, and publishes changes', async () => {
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
    worthUsd: 0,
    savedUsd: 0,
    models: ['sandbox-large', 'sandbox-small'],
    branches: [],
  })
  expect((await tollgate.call('GET', `/v1/sessions/${session.id}`)).json).toEqual(session)
  await vi.waitFor(() => expect(events).toContainEqual({ type: 'session', session }))
})

it('has a title while prompts are stored, which usage shows too', async () => {
  const { secret } = await tollgate.createKey({ name: 'kept', scope: 'full', storeBodies: true })
  const messages = [
    { role: 'user', content: '<system-reminder>Be brief.</system-reminder>' },
    { role: 'user', content: 'Fix the login page' },
  ]
  await tollgate.chat({ messages }, { as: secret })
  const usage = (await tollgate.call('GET', '/v1/usage?groupBy=session')).json
  expect(usage.data).toMatchObject([{ label: 'Fix the login page' }])
  const list = async () => (await tollgate.call('GET', '/v1/sessions')).json.data
  expect(await list()).toMatchObject([{ title: 'Fix the login page' }])
  await tollgate.call('DELETE', '/v1/requests/bodies')
  expect(await list()).toMatchObject([{ title: null }])
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
