import { expect, test } from 'vitest'
import { type KeyMetadata, NO_KEY_OPTIONS } from '../shared/keys.ts'
import { type AlertEvent, describeAlert } from './alert-notification.ts'

const key: KeyMetadata = {
  ...NO_KEY_OPTIONS,
  id: 'key_1',
  name: 'Agent',
  scope: 'full',
  purpose: 'user',
  secretHint: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  spendUsd: 5.2,
  reservedUsd: 0,
  spendLimitUsd: 5,
}
const paused = { ...key, pausedAt: '2026-11-22T00:00:00.000Z', pauseReason: 'It loops.' }

const cap: AlertEvent = {
  type: 'cap-alert',
  alert: { keyId: 'key_1', name: 'Agent', percent: 100, spentUsd: 5.2, limitUsd: 5 },
}
const guard: AlertEvent = {
  type: 'guard-alert',
  alert: { keyId: 'key_1', name: 'Agent', cause: 'refusals', reason: 'It loops.', requests: 300, costUsd: 0 },
}

test('a used-up cap can be raised by $5 above what is spent', () => {
  const { title, href, buttons } = describeAlert(cap, key)
  expect([title, href]).toEqual(['Agent has reached its cap', '/keys?cap=key_1'])
  const raise = { method: 'PATCH', path: '/v1/keys/key_1', body: { spendLimitUsd: 10.2 } }
  expect(buttons).toEqual([{ label: 'Raise by $5', calls: [raise] }])
})

test('a cap that is not used up has no buttons', () => {
  expect(describeAlert(cap, { ...key, spendUsd: 4 }).buttons).toEqual([])
})

test('a key that the guard has paused can be resumed, and revoked once that is confirmed in the window', () => {
  const { title, body, href, buttons } = describeAlert(guard, { ...paused, spendLimitUsd: null })
  expect(title).toBe('Agent was paused')
  expect(body).toContain('It loops.')
  expect(href).toBe('/keys?edit=key_1')
  expect(buttons).toEqual([
    { label: 'Resume', calls: [{ method: 'POST', path: '/v1/keys/key_1/resume' }] },
    { label: 'Revoke…', calls: [], open: '/keys?revoke=key_1' },
  ])
})

test('if its cap is used up, too, raising it resumes the key', () => {
  const [raise] = describeAlert(guard, paused).buttons
  expect(raise?.calls.map(({ path }) => path)).toEqual(['/v1/keys/key_1', '/v1/keys/key_1/resume'])
})

test('the monthly limit and a revoked key have no buttons', () => {
  expect(describeAlert({ ...cap, alert: { ...cap.alert, keyId: null } }, null).buttons).toEqual([])
  expect(describeAlert(guard, { ...paused, revokedAt: key.createdAt }).buttons).toEqual([])
})
