// The limits of sub-agents: what each may cost, and how many of a session may be at work.
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import {
  billing,
  startTestUpstream,
  type TestExchange,
} from '../../../gateway/upstream/testing/test-upstream.ts'

const COST_USD = 0.0014
const answer = billing(1000, 200)
const clock = { ms: 0, now: () => Date.now() + clock.ms, monotonic: () => performance.now() + clock.ms }
const slow: TestExchange[] = []
const upstream = await forFile(
  startTestUpstream((exchange) => {
    if (exchange.request.body.includes('Slowly')) slow.push(exchange)
    else answer(exchange)
  }),
)
const gateway = await forFile(startTestGateway({ clock }))
await gateway.addProvider('vendor', upstream.url, [])
const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
await gateway.call('PUT', '/v1/models/billed', {
  body: { provider: 'vendor', pricing, maxOutputTokens: 1000 },
})

const createKey = (more: object) => gateway.createKey({ name: 'agents', scope: 'full', ...more })

/** A request of a sub-agent of a session; without `agent`, of its main agent. */
async function ask(secret: string, session: string, agent: string | null, content = 'Hi') {
  const headers = {
    'x-claude-code-session-id': session,
    'x-claude-code-request-class': agent === null ? 'main' : 'subagent',
    ...(agent !== null && { 'x-claude-code-agent-id': agent }),
  }
  return gateway.chat({ model: 'billed', messages: [{ role: 'user', content }] }, { as: secret, headers })
}
const getStatus = async (...args: Parameters<typeof ask>) => (await ask(...args)).status

test('each sub-agent may cost as much as its limit, also after a restart; main agents and others go on', async () => {
  const spendLimits = [{ usd: COST_USD * 1.5, per: 'subagent' }]
  const { secret, id } = await createKey({ spendLimits })
  expect([await getStatus(secret, 's', 'a'), await getStatus(secret, 's', 'a')]).toEqual([200, 200])
  const refused = await ask(secret, 's', 'a')
  expect([refused.status, refused.json.error.param]).toEqual([402, 'spendLimits[0]'])
  expect(refused.json.error.message).toMatch(/per sub-agent .* Go on in the main agent/)
  for (const [session, agent] of [
    ['s', 'b'],
    ['t', 'a'],
    ['s', null],
    ['s', null],
    ['s', null],
  ] as const)
    expect(await getStatus(secret, session, agent)).toBe(200)
  expect((await gateway.getKey(id)).spendLimits).toMatchObject([{ per: 'subagent', spentUsd: COST_USD }])
  await gateway.restart()
  expect([await getStatus(secret, 's', 'a'), await getStatus(secret, 's', 'b')]).toEqual([402, 200])
  expect(await getStatus(secret, 's', 'b')).toBe(402)
})

test('a limit that is new counts what sub-agents have cost before, and can be rehearsed', async () => {
  const { secret, id } = await createKey({})
  for (const agent of ['a', 'a', 'a', 'b']) await ask(secret, 'rehearsed', agent)
  const limit = { usd: COST_USD * 1.5, per: 'subagent' }
  const { json } = await gateway.call('POST', '/v1/rehearse', { body: { limit, keyId: id } })
  expect(json).toMatchObject({ requests: 4, changed: 1, days: 1 })
  expect(json.savedUsd).toBeCloseTo(COST_USD, 9)
  await gateway.call('PATCH', `/v1/keys/${id}`, { body: { spendLimits: [limit] } })
  expect([await getStatus(secret, 'rehearsed', 'a'), await getStatus(secret, 'rehearsed', 'b')]).toEqual([
    402, 200,
  ])
})

test('as many sub-agents of a session are at work as the key allows', async () => {
  const { secret } = await createKey({ maxSubagents: 2 })
  const running = ask(secret, 's', 'a', 'Slowly')
  await expect.poll(() => slow.length).toBe(1)
  expect(await getStatus(secret, 's', 'b')).toBe(200)
  const refused = await ask(secret, 's', 'c')
  expect([refused.status, refused.json.error.code]).toEqual([429, 'subagent_limit_reached'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await gateway.records())[0]).toMatchObject({ status: 'refused' })
  for (const [session, agent] of [
    ['s', 'a'],
    ['s', null],
    ['other', 'c'],
  ] as const)
    expect(await getStatus(secret, session, agent)).toBe(200)
  // Half a minute after its last request, a sub-agent is not at work any more; one with a running request is.
  clock.ms += 31_000
  expect([await getStatus(secret, 's', 'c'), await getStatus(secret, 's', 'b')]).toEqual([200, 429])
  for (const exchange of slow) answer(exchange)
  expect((await running).status).toBe(200)
  clock.ms += 31_000
  expect(await getStatus(secret, 's', 'b')).toBe(200)
})
