// Rules that need the owner's permission. One request costs 1,000 × $1 and 200 × $2 for a million tokens: $0.0014.
import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { SkippableClock } from '../../../gateway/testing/short-waits.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { Approval } from '../../approvals/api/approvals.ts'

const COST_USD = 0.0014
const ASK_MS = 240_000
let sent = 0
const upstream = await forFile(
  startTestUpstream((exchange) => {
    sent += 1
    billing(1000, 200)(exchange)
  }),
)
const wall = { ms: Date.parse('2026-11-24T12:00:00Z') }
const clock = new SkippableClock(() => wall.ms)
const gateway = await forFile(startTestGateway({ clock }))
await gateway.addProvider('vendor', upstream.url, [])
for (const model of ['dear', 'cheap'])
  await gateway.call('PUT', `/v1/models/${model}`, {
    body: {
      provider: 'vendor',
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      maxOutputTokens: 10_000,
    },
  })

async function addRule(rule: object = {}) {
  const body = { name: 'Ask first', mode: 'on', do: [{ kind: 'ask' }], ...rule }
  const { status, json, text } = await gateway.call('POST', '/v1/rules', { body })
  if (status !== 201) throw new Error(text)
  wall.ms += 1_000
  return json
}

const changeRule = (id: string, body: object) => gateway.call('PATCH', `/v1/rules/${id}`, { body })

let sessions = 0

beforeEach(async () => {
  const { json } = await gateway.call('GET', '/v1/rules')
  for (const { id } of json.data) await gateway.call('DELETE', `/v1/rules/${id}`)
  wall.ms += 60_000
  sessions += 1
})

interface Sent {
  as?: string
  session?: string
  agent?: string
  body?: object
  signal?: AbortSignal
}

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]

/** A request of the main agent of a session that each test has for itself. */
async function ask({ as = gateway.admin, session = '', agent, body, ...options }: Sent = {}) {
  wall.ms += 10
  const headers = {
    'user-agent': 'claude-cli/2.1.0',
    'x-tollgate-session': `${sessions} ${session}`,
    ...(agent !== undefined && { 'x-claude-code-agent-id': agent }),
  }
  const answer = await gateway.chat({ model: 'dear', tools, ...body }, { as, headers, ...options })
  return { ...answer, rule: answer.headers.get('x-tollgate-rule') }
}

const list = async (): Promise<Approval[]> => (await gateway.call('GET', '/v1/approvals')).json.data

/** The only question, once so many requests wait for it. */
async function findOpen(waiting = 1): Promise<Approval> {
  await expect.poll(async () => (await list()).map((each) => each.waiting)).toEqual([waiting])
  const [approval] = await list()
  return approval ?? expect.fail('nothing is asked')
}

const decide = ({ id, waiter }: Approval, decision: 'allow' | 'stop', more: object = {}) =>
  gateway.call('POST', `/v1/approvals/${id}`, {
    body: { decision, ...(decision === 'allow' && { waiter }), ...more },
  })

const answerNext = async (decision: 'allow' | 'stop') => decide(await findOpen(), decision)
const effects = async (query = '') => (await gateway.call('GET', `/v1/rules/requests${query}`)).json.data

test('a session is asked about once, and the record, the header and the sums say what was answered', async () => {
  const rule = await addRule({ when: [{ kind: 'model', models: ['dear'] }] })
  const before = sent
  const first = ask()
  const question = await findOpen()
  expect(question).toMatchObject({
    ...{ kind: 'rule', state: 'open', model: 'dear', program: 'Claude Code', waiting: 1 },
    ...{ sessionId: expect.stringMatching(/^ses_/), agentId: null, reason: null },
    rule: { id: rule.id, name: 'Ask first', sentence: 'Requests to dear need permission.' },
  })
  expect(question.neededUsd).toBeGreaterThan(0.01)
  expect(sent).toBe(before)
  expect((await decide(question, 'allow')).json).toMatchObject({ kind: 'rule', state: 'allowed' })
  expect(await first).toMatchObject({ status: 200, rule: 'Ask first' })
  expect(await ask()).toMatchObject({ status: 200, rule: 'Ask first' })
  expect(await ask({ body: { model: 'cheap' } })).toMatchObject({ status: 200, rule: null })
  const [cheap, second, asked] = await gateway.records()
  expect(cheap?.rules).toBeNull()
  expect(second?.rules).toMatchObject([{ ruleId: rule.id, answer: 'allowed-earlier', changes: [] }])
  expect(asked?.rules).toMatchObject([{ ruleId: rule.id, answer: 'allowed', changes: [], savedUsd: 0 }])
  expect(asked?.timings.queueMs).toBeGreaterThan(0)
  const { json } = await gateway.call('GET', '/v1/rules')
  expect(json.data).toMatchObject([{ acted: { requests: 0, asked: 1, unpriced: 0 } }])
  const receipt = await gateway.call('GET', `/v1/requests/${asked?.id}/receipt`)
  expect(receipt.json.request.changes).toMatchObject([{ field: 'permission', sent: 'allowed' }])
  const other = ask({ session: 'other' })
  await answerNext('allow')
  expect((await other).status).toBe(200)
})

test('requests of a session that come together wait for one answer, its side calls among them', async () => {
  await addRule()
  const together = [ask(), ask(), ask({ body: { tools: [] } })]
  const question = await findOpen(3)
  const agent = ask({ agent: 'a1' })
  await expect.poll(async () => (await list()).map(({ agentId }) => agentId)).toEqual([null, 'a1'])
  await decide(question, 'allow')
  expect((await Promise.all(together)).map(({ status }) => status)).toEqual([200, 200, 200])
  const open = await findOpen()
  await decide(open, 'stop')
  expect((await agent).json.error.message).toContain('whether this sub-agent may use dear')
})

test.each([
  ['/v1/messages', { model: 'dear', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 }],
  ['/v1/chat/completions', { model: 'dear', messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { model: 'dear', input: 'Hi', stream: true }],
  ['/v1beta/models/dear:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
])('%s is refused in its own format, and its session is not asked about again', async (path, body) => {
  await addRule()
  const before = sent
  const send = async () => {
    wall.ms += 10
    const headers = { 'x-tollgate-session': `${sessions} ${path}` }
    const { status, headers: sentBack, json } = await gateway.call('POST', path, { body, headers })
    return { status, error: json.error, rule: sentBack.get('x-tollgate-rule') }
  }
  const first = send()
  await answerNext('stop')
  const refused = await first
  const message = expect.stringContaining(
    'The rule "Ask first" needs permission. Its owner was asked in Tollgate whether this session may use dear',
  )
  const type = path === '/v1/messages' || path.includes('generate') ? {} : { code: 'denied_by_rule' }
  expect(refused).toMatchObject({ status: 403, rule: 'Ask first', error: { message, ...type } })
  expect(await send()).toEqual(refused)
  expect([await list(), sent]).toEqual([[], before])
  const changes = [{ field: 'request', asked: 'dear', sent: null }]
  const [record] = await gateway.records()
  expect(record).toMatchObject({ status: 'refused', rules: [{ answer: 'denied', changes }] })
  // The second one is counted in the row of the first.
  const session = `?session=${record?.sessionId}`
  await expect
    .poll(() => effects(session))
    .toMatchObject([
      { answer: 'denied-earlier', changes },
      { answer: 'denied', changes },
    ])
})

test('answers survive a restart, which refuses what waits', async () => {
  await addRule()
  for (const [session, decision] of [
    ['allowed', 'allow'],
    ['denied', 'stop'],
  ] as const) {
    const waiting = ask({ session })
    await answerNext(decision)
    await waiting
  }
  const waiting = ask({ session: 'waits' })
  await findOpen()
  await gateway.gateway.close(1)
  expect((await waiting).status).toBe(503)
  await gateway.restart()
  expect((await ask({ session: 'allowed' })).status).toBe(200)
  expect((await ask({ session: 'denied' })).status).toBe(403)
  const again = ask({ session: 'waits' })
  await answerNext('allow')
  expect((await again).status).toBe(200)
})

test('without an answer in time a request is refused, and the next one asks again', async () => {
  await addRule()
  const first = ask()
  await findOpen()
  clock.skip(ASK_MS)
  expect((await first).status).toBe(403)
  const last = async () => (await gateway.records())[0]
  await expect.poll(last).toMatchObject({ status: 'refused', rules: [{ answer: 'none' }] })
  const next = ask()
  await answerNext('allow')
  expect((await next).status).toBe(200)
})

test('a question ends when its clients have left', async () => {
  await addRule()
  const leaving = new AbortController()
  const left = ask({ signal: leaving.signal }).catch(() => null)
  await findOpen()
  leaving.abort()
  await left
  await expect.poll(list).toEqual([])
  const next = ask()
  await answerNext('allow')
  expect((await next).status).toBe(200)
})

test('it reserves nothing while it waits, and its cap is checked after the answer', async () => {
  const { id, secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: COST_USD / 2 })
  expect((await ask({ as: secret })).status).toBe(200)
  await addRule()
  const waiting = ask({ as: secret, session: 'later' })
  const question = await findOpen()
  expect((await gateway.getKey(id)).reservedUsd).toBe(0)
  await decide(question, 'allow')
  expect(await waiting).toMatchObject({ status: 402, json: { error: { code: 'spend_limit_reached' } } })
})

test('an answer to a rule has no amount, and is for all requests of its session', async () => {
  await addRule()
  const waiting = ask()
  const question = await findOpen()
  for (const more of [{ usd: 1 }, { decision: 'once' }])
    expect((await decide(question, 'allow', more)).status).toBe(400)
  await decide(question, 'allow')
  expect((await waiting).status).toBe(200)
})

test('a rule that is turned off, or that another one replaces, asks no more', async () => {
  const { id } = await addRule()
  const first = ask()
  await findOpen()
  await changeRule(id, { mode: 'off' })
  expect(await first).toMatchObject({ status: 200, rule: null })
  expect((await gateway.records())[0]?.rules).toBeNull()
  wall.ms += 1_000
  await changeRule(id, { mode: 'on', at: 'any' })
  const second = ask()
  await findOpen()
  wall.ms += 1_000
  await changeRule(id, { do: [{ kind: 'deny' }] })
  expect(await second).toMatchObject({ status: 403, rule: 'Ask first' })
})

test('for any time, a session that runs is asked about once, and again when the rule was changed', async () => {
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: COST_USD * 100 })
  expect((await ask({ as: secret })).status).toBe(200)
  const { id } = await addRule({ at: 'any', when: [{ kind: 'budget', of: 'key', percent: 2 }] })
  expect(await ask({ as: secret })).toMatchObject({ status: 200, rule: null })
  const crossed = ask({ as: secret })
  await answerNext('stop')
  expect((await crossed).status).toBe(403)
  expect((await ask({ as: secret })).status).toBe(403)
  await changeRule(id, { name: 'Ask again' })
  const again = ask({ as: secret })
  await answerNext('allow')
  expect(await again).toMatchObject({ status: 200, rule: 'Ask again' })
})

test('what is only tried asks no one, and counts what a rehearsal counts', async () => {
  const key = await gateway.createKey({ name: 'k', scope: 'full' })
  const as = key.secret
  const rule = { name: 'Tried', when: [{ kind: 'key', keys: [key.id] }], do: [{ kind: 'ask' }] }
  const { id } = await addRule({ ...rule, mode: 'shadow' })
  for (const more of [{}, { body: { tools: [] } }, { agent: 'a1' }]) await ask({ as, ...more })
  await gateway.restart()
  expect(await ask({ as })).toMatchObject({ status: 200, rule: null })
  expect(await effects(`?rule=${id}`)).toMatchObject([1, 2].map(() => ({ shadow: true, answer: 'none' })))
  const { json } = await gateway.call('GET', '/v1/rules')
  expect(json.data).toMatchObject([{ shadowed: { asked: 2, requests: 0 }, acted: { asked: 0 } }])
  const from = await gateway.call('POST', '/v1/rehearse', { body: { rule, id, days: 1 } })
  expect(from.json).toMatchObject({ changed: 2, savedUsd: 0 })
  expect(from.json.data).toMatchObject([{ model: null }, { model: null }])
})
