// Limits that ask their owner for more. One request costs 1,000 × $1 and 200 × $2 for a million tokens: $0.0014.
import { expect, test } from 'vitest'
import { getTimers, systemClock } from '../../../gateway/platform/clock.ts'
import { readData, startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream, testChunk } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { Approval } from '../api/approvals.ts'

const COST_USD = 0.0014
const WORDS = 4_000
let sent = 0
const upstream = await forFile(
  startTestUpstream((exchange) => {
    sent += 1
    if (!exchange.request.json().stream) return billing(1000, 200)(exchange)
    const words = Array.from({ length: WORDS }, () => testChunk({ content: 'word ' }))
    exchange
      .begin()
      .data(...words, testChunk({}, 'stop'), '[DONE]')
      .end()
  }),
)
/** The wait at the limit in the test without an answer; no other timer of the gateway takes so long. */
const ASK_MS = 11_000
const systemTimers = getTimers(systemClock)
const clock = {
  ms: 0,
  now: () => Date.now() + clock.ms,
  monotonic: () => performance.now() + clock.ms,
  timers: {
    ...systemTimers,
    setTimeout: (run: () => void, ms: number) => systemTimers.setTimeout(run, ms === ASK_MS ? 1 : ms),
  },
}
const gateway = await forFile(startTestGateway({ clock }))
await gateway.addProvider('vendor', upstream.url, [])
const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
await gateway.call('PUT', '/v1/models/billed', {
  body: { provider: 'vendor', pricing, maxOutputTokens: 10_000 },
})

/** A key whose limit is used up: after it, each request asks. */
async function createUsedUp(more: object = {}) {
  const key = await gateway.createKey({
    ...{ name: 'agent', scope: 'full', spendLimits: [{ usd: COST_USD, per: 'day', action: 'ask' }] },
    ...more,
  })
  expect((await send(key.secret)).status).toBe(200)
  return key
}

const send = (secret: string, more: object = {}, headers: Record<string, string> = {}) =>
  gateway.chat({ model: 'billed', max_tokens: 200, ...more }, { as: secret, headers })

async function list(): Promise<Approval[]> {
  return (await gateway.call('GET', '/v1/approvals')).json.data
}

/** The question that so many requests wait for. */
async function findOpen(waiting = 1): Promise<Approval> {
  await expect.poll(async () => (await list()).map((each) => each.waiting)).toEqual([waiting])
  const [approval] = await list()
  return approval ?? expect.fail('nothing is asked')
}

/** Answers for the request that is shown. */
function decide({ id, waiter }: Pick<Approval, 'id' | 'waiter'>, body: { decision: string; usd?: number }) {
  const shown = body.decision === 'stop' ? {} : { waiter }
  return gateway.call('POST', `/v1/approvals/${id}`, { body: { ...body, ...shown } })
}

test('requests at the limit wait for one answer, and what is allowed is spent before the next question', async () => {
  const { id, secret } = await createUsedUp()
  const before = sent
  const waiting = [send(secret), send(secret)]
  const approval = await findOpen(2)
  expect(approval).toMatchObject({
    ...{ state: 'open', keyId: id, keyName: 'agent', ofAccount: false, model: 'billed' },
    limit: { per: 'day', action: 'ask', index: 0 },
    ...{ limitUsd: COST_USD, spentUsd: COST_USD },
  })
  expect(sent).toBe(before)
  expect((await decide(approval, { decision: 'allow' })).json.error).toMatchObject({ param: 'usd' })
  const { status, json } = await decide(approval, { decision: 'allow', usd: 2 * COST_USD })
  expect([status, json.state]).toEqual([200, 'allowed'])
  expect((await Promise.all(waiting)).map((each) => each.status)).toEqual([200, 200])
  expect((await gateway.getKey(id)).spendLimits).toMatchObject([
    { usd: COST_USD, allowedUsd: 2 * COST_USD, spentUsd: 3 * COST_USD },
  ])
  const activity = async () => (await gateway.call('GET', '/v1/activity?kind=limit-changed')).json.data
  await expect.poll(activity).toMatchObject([
    {
      subject: { id, name: 'agent' },
      previousLimitUsd: COST_USD,
      limitUsd: 3 * COST_USD,
      limit: { per: 'day' },
    },
  ])
  const next = send(secret)
  expect(await findOpen()).toMatchObject({ limitUsd: 3 * COST_USD, spentUsd: 3 * COST_USD })
  await decide(await findOpen(), { decision: 'stop' })
  expect((await next).json.error).toMatchObject({
    ...{ type: 'insufficient_quota', code: 'spend_limit_reached', param: 'spendLimits[0]' },
    message: expect.stringContaining('has not allowed more'),
  })
})

test('a crowd spends what is allowed, and at most one request more', async () => {
  const { id, secret } = await createUsedUp()
  const crowd = Array.from({ length: 20 }, () => send(secret).then(({ status }) => status))
  await decide(await findOpen(20), { decision: 'allow', usd: 5.5 * COST_USD })
  await expect.poll(async () => (await list())[0]?.waiting).toBe(14)
  // It was used up by one; six more fit as the last may exceed it.
  expect((await gateway.getKey(id)).spendUsd).toBeCloseTo(7 * COST_USD, 9)
  await decide(await findOpen(14), { decision: 'stop' })
  const statuses = await Promise.all(crowd)
  expect([200, 402].map((status) => statuses.filter((each) => each === status).length)).toEqual([6, 14])
})

test('a strict limit asks for what a request could cost, and is never exceeded by more than was allowed', async () => {
  const key = await gateway.createKey({
    ...{ name: 'strict', scope: 'full', strict: true },
    spendLimits: [{ usd: 0.0001, per: 'day', action: 'ask' }],
  })
  const waiting = send(key.secret)
  const question = await findOpen()
  // 200 tokens of output at $2 for a million, and a prompt of a few.
  expect(question.neededUsd).toBeGreaterThan(0.0004)
  await decide(question, { decision: 'allow', usd: 0.01 })
  expect((await waiting).status).toBe(200)
  const { spendUsd, spendLimits } = await gateway.getKey(key.id)
  expect(spendUsd).toBeLessThanOrEqual(spendLimits[0].usd + spendLimits[0].allowedUsd)
})

test('once lets the request that is shown go on, and nothing else', async () => {
  const { id, secret } = await createUsedUp()
  const first = send(secret)
  const question = await findOpen()
  const second = send(secret)
  await findOpen(2)
  await decide(question, { decision: 'once' })
  expect((await first).status).toBe(200)
  await findOpen(1)
  await decide(question, { decision: 'stop' })
  expect((await second).status).toBe(402)
  expect((await gateway.getKey(id)).spendUsd).toBe(2 * COST_USD)
})

test('after a stop nothing is asked until the limit is changed', async () => {
  const { id, secret } = await createUsedUp()
  const stopped = send(secret)
  await decide(await findOpen(), { decision: 'stop' })
  expect([(await stopped).status, (await send(secret)).status]).toEqual([402, 402])
  const spendLimits = [{ usd: 1.5 * COST_USD, per: 'day', action: 'ask' }]
  await gateway.call('PATCH', `/v1/keys/${id}`, { body: { spendLimits } })
  expect((await send(secret)).status).toBe(200)
  const waiting = send(secret)
  await findOpen()
  await gateway.call('PATCH', `/v1/keys/${id}`, { body: { spendLimits: [] } })
  expect((await waiting).status).toBe(200)
  expect(await list()).toEqual([])
})

test('a decision releases only the request that it showed: 409 if that has left', async () => {
  const limit = { usd: COST_USD, per: 'day', action: 'ask' }
  await gateway.call('PATCH', '/v1/account', { body: { spendLimits: [limit] } })
  const [trusted, stranger] = await Promise.all(
    ['trusted', 'stranger'].map((name) => gateway.createKey({ name, scope: 'full' })),
  )
  const leaving = new AbortController()
  const left = fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trusted?.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'billed', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: leaving.signal,
  }).catch(() => null)
  const shown = await findOpen()
  expect(shown.keyName).toBe('trusted')
  const waiting = send(stranger?.secret ?? '', { max_tokens: 5_000 })
  await findOpen(2)
  leaving.abort()
  await left
  const next = await findOpen(1)
  expect([next.id === shown.id, next.keyName]).toEqual([true, 'stranger'])
  expect(next.neededUsd).toBeGreaterThan(shown.neededUsd ?? 0)
  for (const decision of ['once', 'allow']) {
    const { status, json } = await decide(shown, { decision, ...(decision === 'allow' && { usd: 1 }) })
    expect([status, json.error]).toMatchObject([409, { code: 'waiter_left', param: 'waiter' }])
  }
  expect((await list()).length).toBe(1)
  await decide(next, { decision: 'stop' })
  expect((await waiting).status).toBe(402)
  expect((await decide(next, { decision: 'once' })).status).toBe(404)
  await gateway.call('PATCH', '/v1/account', { body: { spendLimits: [] } })
})

test('a request is refused when no answer comes in time', async () => {
  const { secret } = await createUsedUp()
  await gateway.call('PATCH', '/v1/settings', { body: { askSeconds: ASK_MS / 1_000 } })
  const { status, json } = await send(secret)
  expect([status, json.error.message]).toEqual([402, expect.stringContaining('has not allowed more')])
  expect(await list()).toEqual([])
  await gateway.call('PATCH', '/v1/settings', { body: { askSeconds: 240 } })
})

test('a stream that runs when the limit is reached may finish, and the next request asks', async () => {
  const { secret } = await gateway.createKey({
    ...{ name: 'streams', scope: 'full' },
    spendLimits: [{ usd: 0.004, per: 'session', action: 'ask' }],
  })
  const session = { 'x-tollgate-session': 'long' }
  const { text } = await send(secret, { stream: true, max_tokens: 10_000 }, session)
  const events = readData(text)
  expect(events.at(-1)).toBe('[DONE]')
  expect(events.filter((event) => JSON.stringify(event).includes('word '))).toHaveLength(WORDS)
  const [record] = await gateway.records()
  expect(record).toMatchObject({ status: 'succeeded' })
  const next = send(secret, {}, session)
  const question = await findOpen()
  expect(question.sessionId).toBe(record?.sessionId)
  await decide(question, { decision: 'stop' })
  expect((await next).status).toBe(402)
})

test('after a stop, a rolling limit asks again when what was spent counts no more', async () => {
  const { secret } = await createUsedUp({
    spendLimits: [{ usd: COST_USD, per: 'day', window: 'rolling', action: 'ask' }],
  })
  const stopped = send(secret)
  await decide(await findOpen(), { decision: 'stop' })
  expect([(await stopped).status, (await send(secret)).status]).toEqual([402, 402])
  clock.ms += 25 * 60 * 60_000
  expect((await send(secret)).status).toBe(200)
  const waiting = send(secret)
  await decide(await findOpen(), { decision: 'stop' })
  expect((await waiting).status).toBe(402)
})

test('a limit that stops is not asked about, whatever others ask', async () => {
  const limit = { usd: COST_USD, per: 'day', action: 'ask' }
  const key = await gateway.createKey({
    ...{ name: 'capped', scope: 'full', spendLimits: [limit], spendLimitUsd: COST_USD },
  })
  expect((await send(key.secret)).status).toBe(200)
  expect((await send(key.secret)).status).toBe(402)
})

test('an agent asks ahead with its own key', async () => {
  const { secret } = await createUsedUp()
  const body = { usd: 2, reason: 'The tests of the date picker still fail' }
  const asked = gateway.call('POST', '/v1/approvals', { body, as: secret })
  const question = await findOpen()
  const { reason, neededUsd, model } = question
  expect({ reason, neededUsd, model }).toEqual({ reason: body.reason, neededUsd: 2, model: null })
  expect((await decide(question, { decision: 'once' })).status).toBe(400)
  await decide(question, { decision: 'allow', usd: 2 })
  expect((await asked).json).toEqual({ remainingUsd: 2 })
  const plain = await gateway.createKey({ name: 'plain', scope: 'full' })
  expect((await gateway.call('POST', '/v1/approvals', { body, as: plain.secret })).status).toBe(400)
})

test('money asked for ahead belongs to the session that asks, which has to be named', async () => {
  const { secret } = await gateway.createKey({
    ...{ name: 'sessions', scope: 'full' },
    spendLimits: [{ usd: COST_USD, per: 'session', action: 'ask' }],
  })
  const [first, second] = [{ 'x-tollgate-session': 'a' }, { 'x-tollgate-session': 'b' }] as const
  expect((await send(secret, {}, first)).status).toBe(200)
  const [record] = await gateway.records()
  expect((await send(secret, {}, second)).status).toBe(200)
  const body = { usd: 1, reason: 'more' }
  const nameless = await gateway.call('POST', '/v1/approvals', { body, as: secret })
  expect([nameless.status, nameless.json.error.message]).toEqual([400, expect.stringContaining('headers')])
  const asked = gateway.call('POST', '/v1/approvals', { body, as: secret, headers: first })
  const question = await findOpen()
  expect(question.sessionId).toBe(record?.sessionId)
  await decide(question, { decision: 'allow', usd: 1 })
  expect((await asked).json).toEqual({ remainingUsd: 1 })
  expect((await send(secret, {}, first)).status).toBe(200)
  const waiting = send(secret, {}, second)
  await decide(await findOpen(), { decision: 'stop' })
  expect((await waiting).status).toBe(402)
})

test('a limit alerts once when agents ask and leave again and again', async () => {
  const { secret } = await createUsedUp()
  const alerts: unknown[] = []
  const unsubscribe = gateway.gateway.subscribe((event) => alerts.push(event), ['approval-alert'])
  const askAndLeave = async (reason: string) => {
    const leaving = new AbortController()
    const options = { body: { usd: 1, reason }, as: secret, signal: leaving.signal }
    const asked = gateway.call('POST', '/v1/approvals', options).catch(() => null)
    await findOpen()
    leaving.abort()
    await asked
    await expect.poll(list).toEqual([])
  }
  for (const reason of ['one', 'two', 'three']) await askAndLeave(reason)
  unsubscribe()
  expect(alerts).toMatchObject([{ alert: { reason: 'one' } }])
})

test('a change of other limits leaves the question, and one of this limit asks again', async () => {
  const { id, secret } = await createUsedUp()
  const body = { usd: 2, reason: 'more' }
  const asked = gateway.call('POST', '/v1/approvals', { body, as: secret })
  const question = await findOpen()
  await gateway.createKey({ name: 'another', scope: 'full' })
  expect(await findOpen()).toMatchObject({ id: question.id, waiter: question.waiter })
  const spendLimits = [{ usd: 2 * COST_USD, per: 'day', action: 'ask' }]
  await gateway.call('PATCH', `/v1/keys/${id}`, { body: { spendLimits } })
  await expect.poll(list).toMatchObject([{ limitUsd: 2 * COST_USD }])
  await decide(await findOpen(), { decision: 'stop' })
  expect((await asked).status).toBe(402)
})

test('a new day withdraws the question, and what was allowed ends with its day', async () => {
  const { id, secret } = await createUsedUp()
  const first = send(secret)
  await decide(await findOpen(), { decision: 'allow', usd: 1 })
  expect((await first).status).toBe(200)
  clock.ms += 24 * 60 * 60_000
  expect((await send(secret)).status).toBe(200)
  const [limit] = (await gateway.getKey(id)).spendLimits
  expect(limit).toMatchObject({ usd: COST_USD, spentUsd: COST_USD })
  expect(limit).not.toHaveProperty('allowedUsd')
})
