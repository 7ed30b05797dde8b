import { expect, test } from 'vitest'
import type { Account } from '../shared/api/account.ts'
import type { AlertEvent } from '../shared/api/events.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import { describeAlert } from './alert-notification.ts'
import { limited, sampleAccount, sampleKey } from './testing/samples.ts'

const uncapped: KeyMetadata = { ...sampleKey, spendUsd: 5.2 }
const key = limited(uncapped, 5)
const account: Account = limited(sampleAccount, 20)
const pause = { pausedAt: '2026-11-22T00:00:00.000Z', pauseReason: 'It loops.' }
const paused = { ...key, ...pause }

const cap: Extract<AlertEvent, { type: 'cap-alert' }> = {
  type: 'cap-alert',
  alert: {
    keyId: 'key_1',
    name: 'Agent',
    percent: 100,
    spentUsd: 5.2,
    limitUsd: 5,
    limit: { per: 'lifetime', index: 0 },
  },
}
const guard: AlertEvent = {
  type: 'guard-alert',
  alert: { keyId: 'key_1', name: 'Agent', cause: 'refusals', reason: 'It loops.', requests: 300, costUsd: 0 },
}

test('a used-up cap can be raised by $5 above what is spent', () => {
  const { title, href, buttons } = describeAlert(cap, { key, account: null })
  expect([title, href]).toEqual(['Agent has reached its lifetime cap of $5.00', '/keys?cap=key_1&limit=0'])
  const raise = {
    method: 'PATCH',
    path: '/v1/keys/key_1',
    body: { spendLimits: [{ usd: 10.2, per: 'lifetime' }] },
  }
  expect(buttons).toEqual([{ label: 'Raise by $5', calls: [raise] }])
})

test('a cap that is not used up has no buttons', () => {
  expect(
    describeAlert(cap, { key: limited({ ...uncapped, spendUsd: 4 }, 5), account: null }).buttons,
  ).toEqual([])
})

test('a key that the guard has paused can be resumed, and revoked once that is confirmed in the window', () => {
  const { title, body, href, buttons } = describeAlert(guard, {
    key: { ...uncapped, ...pause },
    account,
  })
  expect(title).toBe('Agent was paused')
  expect(body).toContain('It loops.')
  expect(href).toBe('/keys?edit=key_1')
  expect(buttons).toEqual([
    { label: 'Resume', calls: [{ method: 'POST', path: '/v1/keys/key_1/resume' }] },
    { label: 'Revoke…', calls: [], open: '/keys?revoke=key_1' },
  ])
})

test('if its cap is used up, too, raising it resumes the key', () => {
  const [raise] = describeAlert(guard, { key: paused, account }).buttons
  expect(raise?.calls.map(({ path }) => path)).toEqual(['/v1/keys/key_1', '/v1/keys/key_1/resume'])
})

test('the limit that an alert names is raised, whichever kind, and the others stay', () => {
  const day = { usd: 2, per: 'day', spentUsd: 2.5, reservedUsd: 0, resetsAt: null } as const
  const week = { ...day, per: 'week', model: 'claude-*' } as const
  const limit = { per: 'day', index: 1 } as const
  const present = { ...key, spendUsd: 3, spendLimits: [week, day] }
  const [raise] = describeAlert({ ...cap, alert: { ...cap.alert, limit } }, { key: present, account }).buttons
  const spendLimits = [
    { usd: 2, per: 'week', model: 'claude-*' },
    { usd: 7.5, per: 'day' },
  ]
  expect(raise?.calls).toEqual([{ method: 'PATCH', path: '/v1/keys/key_1', body: { spendLimits } }])
})

test('a key that the guard paused at a limit of all keys has that raised', () => {
  const day = { usd: 2, per: 'day', spentUsd: 2, reservedUsd: 0, resetsAt: null } as const
  const others = [day, { ...day, tag: 'other' }]
  const full = limited({ ...sampleAccount, monthSpendUsd: 20, spendLimits: others }, 20)
  const [raise] = describeAlert(guard, { key: { ...uncapped, ...pause }, account: full }).buttons
  expect(raise?.calls).toEqual([
    {
      ...{ method: 'PATCH', path: '/v1/account' },
      body: {
        spendLimits: [
          { usd: 25, per: 'month' },
          { usd: 7, per: 'day' },
          { usd: 2, per: 'day', tag: 'other' },
        ],
      },
    },
    { method: 'POST', path: '/v1/keys/key_1/resume' },
  ])
})

test('the monthly limit is raised, too; one that only warns and the cap of a revoked key are not', () => {
  const limit = { per: 'month' as const, index: 0 }
  const ofAccount: AlertEvent = { ...cap, alert: { ...cap.alert, keyId: null, limit } }
  const full = limited({ ...sampleAccount, monthSpendUsd: 21 }, 20)
  const [raise] = describeAlert(ofAccount, { key: null, account: full }).buttons
  const body = { spendLimits: [{ usd: 26, per: 'month' }] }
  expect(raise?.calls).toEqual([{ method: 'PATCH', path: '/v1/account', body }])
  const warning = {
    ...{ usd: 1, per: 'day' as const, action: 'warn' as const },
    spentUsd: 2,
    reservedUsd: 0,
    resetsAt: null,
  } as const
  const warned: AlertEvent = {
    ...cap,
    alert: { ...cap.alert, limit: { per: 'day', action: 'warn', index: 0 } },
  }
  expect(describeAlert(warned, { key: { ...key, spendLimits: [warning] }, account }).buttons).toEqual([])
  expect(describeAlert(guard, { key: { ...paused, revokedAt: key.createdAt }, account }).buttons).toEqual([])
})

test('a question is answered with the buttons of its notification', () => {
  const event: AlertEvent = {
    type: 'approval-alert',
    alert: {
      ...{ kind: 'rule', id: 'ask_1', waiter: 'wait_1', state: 'open', keyId: 'key_1', keyName: 'Agent' },
      ...{ createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-11-22T00:04:00.000Z' },
      rule: { id: 'rule_1', name: 'Dear models', sentence: 'Requests to gpt-5 need permission.' },
      ...{ program: 'Codex', tag: null, sessionId: 's', agentId: null, model: 'gpt-5' },
      ...{ neededUsd: 0.5, waiting: 1, reason: null },
    },
  }
  const { title, buttons } = describeAlert(event, { key: null, account: null })
  const call = (body: object) => [{ method: 'POST', path: '/v1/approvals/ask_1', body }]
  expect([title, buttons]).toEqual([
    'Agent asks for permission',
    [
      { label: 'Allow', calls: call({ decision: 'allow', waiter: 'wait_1' }) },
      { label: 'Deny', calls: call({ decision: 'stop' }) },
    ],
  ])
})
