// The windows of plans, as the headers of answers report them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { everyBlock } from '../../../gateway/request/testing/anthropic-events.ts'
import { startTestGateway, type TestGateway } from '../../../gateway/testing/gateway.ts'
import { type PlanVendors, startPlanVendors } from '../../../gateway/upstream/testing/plan-vendors.ts'
import type { LiveEvent } from '../../../shared/api/events.ts'

const START = Date.parse('2026-11-24T12:00:00Z')
const MINUTE = 60_000
const RESET = START + 120 * MINUTE
const seconds = (ms: number) => String(ms / 1000)

const clock = { wall: START, now: () => clock.wall }
let answer: { status: number; headers: Record<string, string> }
let vendors: PlanVendors
let gateway: TestGateway
const alerts: unknown[] = []
beforeAll(async () => {
  vendors = await startPlanVendors((exchange) => exchange.reply(answer.status, everyBlock, answer.headers))
  gateway = await startTestGateway({ systemNetwork: vendors.systemNetwork, clock })
  gateway.gateway.subscribe((event: LiveEvent) => {
    if (event.type === 'plan-alert') alerts.push(event.alert)
  })
  await gateway.call('PATCH', '/v1/settings', { body: { network: 'system' } })
  for (const id of ['claude-plan', 'chatgpt-plan'])
    await gateway.call('PUT', `/v1/providers/${id}`, { body: {} })
})
beforeEach(() => {
  clock.wall += 24 * 60 * MINUTE
  alerts.length = 0
})
afterAll(async () => {
  await gateway.close()
  await vendors.close()
})

/** The headers of the next answers of Claude Code's vendor. */
function report(members: Record<string, string>, status = 200): void {
  const named = Object.entries(members).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value])
  answer = { status, headers: { 'anthropic-organization-id': 'org-1', ...Object.fromEntries(named) } }
}

const ask = (more: Record<string, string> = {}) =>
  gateway.call('POST', '/v1/messages', {
    as: '',
    headers: {
      ...more,
      authorization: 'Bearer sk-ant-oat01-x',
      'user-agent': 'claude-cli/2.1.0',
      'x-tollgate-key': gateway.admin,
    },
    body: { model: 'claude-opus-5', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
  })
const plans = async () => (await gateway.call('GET', '/v1/plan-windows')).json.data
const day = () => clock.wall - START
const reset = () => seconds(RESET + day())

test('each window has what its vendor says, and what it does not say is unknown', async () => {
  report({
    status: 'allowed_warning',
    '5h-utilization': '0.42',
    '5h-reset': reset(),
    '5h-status': 'allowed_warning',
    '7d_opus-reset': seconds(RESET + day() + 48 * 60 * MINUTE),
    'overage-status': 'rejected',
    'overage-disabled-reason': 'org_level_disabled',
  })
  await ask()
  const at = (ms: number) => new Date(ms).toISOString()
  const hours = { name: '5h', label: '5 hours', utilization: 0.42, status: 'allowed_warning', fullAt: null }
  expect(await plans()).toEqual([
    {
      id: expect.stringMatching(/^claude-plan-[0-9a-f]{12}$/),
      provider: 'claude-plan',
      name: 'Claude plan',
      status: 'allowed_warning',
      windows: [
        { ...hours, resetsAt: at(RESET + day()), lengthMs: 5 * 60 * MINUTE },
        {
          name: '7d_opus',
          label: 'a week of Opus',
          utilization: null,
          status: null,
          resetsAt: at(RESET + day() + 48 * 60 * MINUTE),
          lengthMs: 7 * 24 * 60 * MINUTE,
          fullAt: null,
        },
      ],
      extraUsage: { status: 'rejected', resetsAt: null, reason: 'org_level_disabled' },
      isExtra: false,
      refusedUntil: null,
      updatedAt: at(clock.wall),
    },
  ])
  // An answer without the headers changes nothing; once a window has reset, nothing is known of it.
  const [before] = await plans()
  answer = { status: 200, headers: {} }
  await ask()
  expect(await plans()).toEqual([before])
  clock.wall += 121 * MINUTE
  expect((await plans())[0].windows[0]).toMatchObject({ utilization: null, resetsAt: null })
})

test('the rate of the last hour says when a window is full, unless it resets before', async () => {
  const window = async () => (await plans())[0].windows[0]
  const later = seconds(clock.wall + 300 * MINUTE)
  for (const [minutes, utilization] of [
    [0, '0.1'],
    [10, '0.2'],
    [20, '0.3'],
  ] as const) {
    clock.wall += minutes === 0 ? 0 : 10 * MINUTE
    report({ '5h-utilization': utilization, '5h-reset': later })
    await ask()
  }
  expect((await window()).fullAt).toBe(new Date(clock.wall + 70 * MINUTE).toISOString())
  report({ '5h-utilization': '0.31', '5h-reset': seconds(clock.wall + 20 * MINUTE) })
  await ask()
  expect((await window()).fullAt).toBeNull()
})

test('the percentages in the settings are announced once in each window', async () => {
  for (const utilization of ['0.7', '0.81', '0.9', '0.96', '0.97']) {
    report({ '5h-utilization': utilization, '5h-reset': reset() })
    await ask()
  }
  const alert = { name: 'Claude plan', window: '5 hours', kind: 'used' }
  expect(alerts).toMatchObject([
    { ...alert, percent: 80 },
    { ...alert, percent: 95 },
  ])
  report({ '5h-utilization': '0.85', '5h-reset': seconds(RESET + day() + 300 * MINUTE) })
  await ask()
  expect(alerts).toHaveLength(3)
})

test('a reset is announced as long before it as the settings say', async () => {
  await gateway.call('PATCH', '/v1/settings', { body: { planResetNoticeMinutes: 30 } })
  report({ '5h-utilization': '0.2', '5h-reset': reset() })
  await ask()
  expect(alerts).toEqual([])
  clock.wall += 91 * MINUTE
  await ask()
  await ask()
  expect(alerts).toMatchObject([{ kind: 'reset', percent: 20, window: '5 hours' }])
  await gateway.call('PATCH', '/v1/settings', { body: { planResetNoticeMinutes: null } })
})

test('"Plan only" refuses what would be charged as extra usage, until the window resets', async () => {
  const full = { '5h-utilization': '1', '5h-reset': reset(), '5h-status': 'rejected' }
  report({ ...full, status: 'rejected', 'overage-status': 'allowed' })
  await ask()
  expect((await plans())[0].isExtra).toBe(true)
  expect((await ask()).status).toBe(200)
  await gateway.call('PATCH', '/v1/settings', { body: { planOnly: true } })
  const sent = vendors.upstream.requests.length
  const refused = await ask()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([402, '7200'])
  expect(refused.json.error.message).toContain('extra usage')
  expect(vendors.upstream.requests).toHaveLength(sent)
  expect((await gateway.records())[0]).toMatchObject({ status: 'refused', error: { code: 'plan_used_up' } })
  clock.wall += 121 * MINUTE
  report({ '5h-utilization': '0.01', '5h-reset': seconds(clock.wall + 300 * MINUTE), status: 'allowed' })
  expect((await ask()).status).toBe(200)
  // A used up plan without extra usage is refused by its vendor, which says so.
  report(
    {
      ...full,
      '5h-reset': seconds(clock.wall + 300 * MINUTE),
      status: 'rejected',
      'overage-status': 'rejected',
    },
    429,
  )
  expect([(await ask()).status, (await ask()).status]).toEqual([429, 429])
  await gateway.call('PATCH', '/v1/settings', { body: { planOnly: false } })
})

test('Codex’s windows are read, too, and everything is there after a restart', async () => {
  const headers = {
    'x-codex-primary-used-percent': '12.5',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': reset(),
    'x-codex-secondary-used-percent': '40',
    'x-codex-secondary-window-minutes': '10080',
    'x-codex-credits-has-credits': 'False',
  }
  answer = { status: 429, headers }
  await gateway.call('POST', '/v1/responses', {
    as: '',
    headers: {
      authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.',
      'chatgpt-account-id': 'acc',
      'user-agent': 'codex_exec/0.160.0',
      'x-tollgate-key': gateway.admin,
    },
    body: { model: 'gpt-5', input: 'Hi' },
  })
  const ofCodex = async () =>
    (await plans()).find(({ provider }: { provider: string }) => provider === 'chatgpt-plan')
  const plan = await ofCodex()
  expect(plan.windows).toMatchObject([
    { name: 'primary', label: '5 hours', utilization: 0.125 },
    { name: 'secondary', label: 'a week', utilization: 0.4, resetsAt: null },
  ])
  const history = async () => (await gateway.call('GET', `/v1/plan-windows/${plan.id}/history`)).json.data
  const points = await history()
  expect(points).toMatchObject([
    { window: 'primary', utilization: 0.125 },
    { window: 'secondary', utilization: 0.4 },
  ])
  await gateway.restart()
  expect([await ofCodex(), await history()]).toEqual([plan, points])
  const metrics = (await gateway.call('GET', '/metrics')).text
  expect(metrics).toContain(`tollgate_plan_utilization{plan="${plan.id}",window="primary"} 0.125`)
  expect((await gateway.call('GET', '/v1/plan-windows/x/history')).status).toBe(404)
})

test('an open window is divided among the sessions, projects and keys that used it', async () => {
  report({
    '5h-utilization': '0.4',
    '5h-reset': reset(),
    '7d_haiku-utilization': '0.1',
    '7d_haiku-reset': seconds(clock.wall + 48 * 60 * MINUTE),
    '7d-reset': seconds(clock.wall + 48 * 60 * MINUTE),
  })
  for (const session of ['a', 'a', 'a', 'b']) await ask({ 'x-claude-code-session-id': session })
  const plan = (await plans()).find(({ provider }: { provider: string }) => provider === 'claude-plan')
  const read = async (by: string) =>
    (await gateway.call('GET', `/v1/plan-windows/${plan.id}/shares?by=${by}`)).json.data
  const [first, second] = await read('session')
  const find = (group: { windows: { window: string }[] }, name: string) =>
    group.windows.find(({ window }) => window === name)
  expect(find(first, '5h')).toMatchObject({ share: expect.closeTo(0.3, 9) })
  expect(find(second, '5h')).toMatchObject({ share: expect.closeTo(0.1, 9) })
  // Of the week the use is unknown, and no request was of the model of the other window.
  expect(find(first, '7d')).toMatchObject({ share: null, worthUsd: expect.any(Number) })
  expect(find(first, '7d_haiku')).toBeUndefined()
  expect(await read('key')).toMatchObject([
    { windows: [{ window: '5h', share: expect.closeTo(0.4, 9) }, {}] },
  ])
  expect(await read('tag')).toMatchObject([{ group: '' }])
  clock.wall += 121 * MINUTE
  expect(find((await read('session'))[0], '5h')).toBeUndefined()
  expect((await gateway.call('GET', '/v1/plan-windows/x/shares')).status).toBe(404)
})
