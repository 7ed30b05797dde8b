// Sessions that begin while their plan is used up.
import { beforeEach, expect, test } from 'vitest'
import { everyBlock } from '../../../gateway/request/testing/anthropic-events.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startPlanVendors } from '../../../gateway/upstream/testing/plan-vendors.ts'
import { startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { LiveEvent } from '../../../shared/api/events.ts'

const HOUR = 3_600_000
const clock = { wall: Date.parse('2026-11-24T12:00:00Z'), now: () => clock.wall }

interface State {
  /** When the used-up windows reset, by their names; empty while the plan serves. */
  full: Record<string, number>
  /** Whether it is charged as extra usage then. */
  isExtra: boolean
}
const plan: State = { full: {}, isExtra: false }

const vendors = await forFile(
  startPlanVendors((exchange) => {
    const windows = Object.entries(plan.full).flatMap(([name, at]) => [
      [`anthropic-ratelimit-unified-${name}-utilization`, '1'],
      [`anthropic-ratelimit-unified-${name}-reset`, String(at / 1000)],
    ])
    const isModel = Object.keys(plan.full).every((name) => name.includes('_'))
    const isFull = windows.length > 0 && (!isModel || exchange.request.body.includes('opus'))
    const status = isFull ? 'rejected' : 'allowed'
    const headers = {
      'anthropic-ratelimit-unified-status': status,
      'anthropic-organization-id': 'org',
      ...(plan.isExtra && { 'anthropic-ratelimit-unified-overage-status': 'allowed' }),
    }
    const all = { ...headers, ...Object.fromEntries(windows) }
    if (isFull && !plan.isExtra)
      exchange.reply(429, { type: 'error', error: { type: 'rate_limit_error' } }, all)
    else exchange.reply(200, everyBlock, all)
  }),
)
const api = await forFile(startTestUpstream((exchange) => exchange.reply(200, everyBlock)))
const gateway = await forFile(startTestGateway({ systemNetwork: vendors.systemNetwork, clock }))
await gateway.addProvider('anthropic', api.url, ['claude-opus-5', 'claude-haiku-4-5'], {
  apiFormat: 'anthropic-messages',
})
await gateway.call('PUT', '/v1/providers/claude-plan', { body: {} })
await gateway.call('PATCH', '/v1/settings', { body: { network: 'system', planOverflow: true } })

let key = ''
const makeKey = async (more = {}) =>
  (await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: 5, ...more })).secret
beforeEach(async () => {
  Object.assign(plan, { full: {}, isExtra: false })
  clock.wall += 48 * HOUR
  key = await makeKey()
  // The account's plan serves, so nothing of an earlier test is left.
  await ask('before')
})

const ask = (session: string | null, { as = key, model = 'claude-opus-5' } = {}) =>
  gateway.call('POST', '/v1/messages', {
    as: '',
    headers: {
      authorization: 'Bearer sk-ant-oat01-canary',
      'user-agent': 'claude-cli/2.1.0',
      'anthropic-beta': 'oauth-2025-04-20,a-1',
      'x-tollgate-key': as,
      ...(session !== null && { 'x-claude-code-session-id': `${session}-${as.slice(-8)}` }),
    },
    body: { model, max_tokens: 500, messages: [{ role: 'user', content: 'Hi' }] },
  })
/** Who answered: the plan, or the API with a key. */
async function payer(session: string | null, options = {}): Promise<string> {
  const { status, headers } = await ask(session, options)
  return `${headers.get('x-tollgate-plan-overflow') === 'claude-plan' ? 'key' : 'plan'} ${status}`
}
const useUp = (windows: Record<string, number> = { '5h': clock.wall + 2 * HOUR }) => {
  plan.full = windows
}

test('the next session is billed by API key, one that has begun is never moved', async () => {
  const alerts: LiveEvent[] = []
  const stop = gateway.gateway.subscribe((event) => alerts.push(event))
  expect(await payer('old')).toBe('plan 200')
  useUp()
  expect(await payer('old')).toBe('plan 429')
  expect(await payer('new')).toBe('key 200')
  expect(await payer('old')).toBe('plan 429')
  const sent = api.requests.at(-1)
  expect(sent?.headers).toMatchObject({ 'x-api-key': 'secret-of-anthropic', 'anthropic-beta': 'a-1' })
  expect(JSON.stringify(api.requests)).not.toContain('canary')
  // 600 new tokens at 5 USD per million, 400 from the cache at 0.5, 200 of output at 25: the catalog's price was replaced.
  const [, record] = await gateway.records()
  expect(record).toMatchObject({ provider: 'anthropic', overflowFrom: 'claude-plan', costStatus: 'exact' })
  expect(record?.costUsd).toBeGreaterThan(0)
  const { json } = await gateway.call('GET', '/v1/plan-windows')
  expect(json.data[0].refusedUntil).toBe(new Date(clock.wall + 2 * HOUR).toISOString())
  // After a restart, too, and after the reset.
  await gateway.restart()
  expect([await payer('old'), await payer('new'), await payer('third')]).toEqual([
    'plan 429',
    'key 200',
    'key 200',
  ])
  clock.wall += 3 * HOUR
  plan.full = {}
  expect([await payer('old'), await payer('new'), await payer('fourth')]).toEqual([
    'plan 200',
    'key 200',
    'plan 200',
  ])
  stop()
  expect(alerts.filter(({ type }) => type === 'plan-alert')).toMatchObject([
    { alert: { kind: 'used' } },
    { alert: { kind: 'overflow', window: '5 hours' } },
  ])
})

test('a cap holds, and without a limit in USD nothing is moved', async () => {
  const free = await makeKey({ spendLimitUsd: null })
  const empty = await makeKey({ spendLimitUsd: 0 })
  useUp()
  for (const as of [key, free, empty]) await ask('first', { as })
  expect(await payer('second', { as: free })).toBe('plan 429')
  const refused = await ask('second', { as: empty })
  expect([refused.status, refused.json.error.message]).toEqual([402, expect.stringContaining('cap of $0.00')])
})

test('a session stays with the plan while it is served, without an id, or without the API’s provider', async () => {
  useUp({ '7d_opus': clock.wall + 90 * HOUR })
  expect([await payer('a'), await payer('b', { model: 'claude-haiku-4-5' })]).toEqual([
    'plan 429',
    'plan 200',
  ])
  // The window of Opus is still full after an answer of another model.
  expect([await payer('c'), await payer('d', { model: 'claude-haiku-4-5' })]).toEqual(['key 200', 'plan 200'])
  expect(await payer(null)).toBe('plan 429')
  const setEnabled = (enabled: boolean) =>
    gateway.call('PUT', '/v1/providers/anthropic', { body: { enabled } })
  await setEnabled(false)
  expect(await payer('e')).toBe('plan 429')
  await setEnabled(true)
})

test('off, nothing is moved, and a session that began then stays', async () => {
  useUp()
  await ask('a')
  await gateway.call('PATCH', '/v1/settings', { body: { planOverflow: false } })
  expect(await payer('b')).toBe('plan 429')
  await gateway.call('PATCH', '/v1/settings', { body: { planOverflow: true } })
  expect([await payer('b'), await payer('c')]).toEqual(['plan 429', 'key 200'])
})

test('extra usage goes on, unless "Plan only" refuses it: then the next session is billed by API key', async () => {
  useUp()
  plan.isExtra = true
  expect([await payer('a'), await payer('b')]).toEqual(['plan 200', 'plan 200'])
  await gateway.call('PATCH', '/v1/settings', { body: { planOnly: true } })
  expect([await payer('a'), await payer('c')]).toEqual(['plan 402', 'key 200'])
  await gateway.call('PATCH', '/v1/settings', { body: { planOnly: false } })
})
