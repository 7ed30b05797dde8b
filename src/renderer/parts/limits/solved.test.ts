import { expect, test } from 'vitest'
import { accountWithLimit, keyRow, modelRow } from '../../testing/rows.ts'
import { describeSolved } from './error-action.tsx'

const NOW = Date.UTC(2026, 10, 23, 12)
const cap = { per: 'lifetime' as const, spentUsd: 5, reservedUsd: 0, resetsAt: null }
const present = {
  key: keyRow('key_1', { spendUsd: 5, spendLimitUsd: 5 }),
  account: accountWithLimit(20, { monthSpendUsd: 20 }),
  model: modelRow('m', { provider: 'mine', pricing: null }),
  strictLimits: false,
  now: NOW,
}
const week = (usd: number) => ({
  ...{ usd, per: 'week', spentUsd: 3, reservedUsd: 0, resetsAt: null },
  ...{ window: 'calendar', model: null, tag: null, action: 'stop' },
})
const createLimits = (...usd: number[]) => usd.map(week) as unknown as typeof present.key.spendLimits

const key = (part: object) => ({ key: { ...present.key, ...part } })
const all = (part: object) => ({ account: { ...present.account, ...part } })
const BEFORE = '2026-11-23T11:00:00Z'
const AFTER = '2026-11-24T11:00:00Z'
const REMOVED = 'A limit was reached then. It has been removed.'
const NO_LONGER_RESERVED =
  'Running requests had reserved the rest of a cap or limit then. Nothing is reserved now.'
const second = { param: 'spendLimits[1]' }

test.each<[string, string | null, object?, object?]>([
  // The code of the error, what is said now, what has changed, and the rest of the error.
  ['paused', null, all({ pausedAt: BEFORE })],
  ['paused', 'Everything was paused then. It has been resumed.'],
  ['key_paused', null, key({ pausedAt: BEFORE })],
  ['key_paused', 'The key was paused then. It has been resumed.'],
  ['key_expired', null, key({ expiresAt: BEFORE })],
  [
    'key_expired',
    'The end date of the key had passed then. The key can be used again.',
    key({ expiresAt: AFTER }),
  ],
  ['model_not_allowed', null, key({ allowedModels: ['other/*'] })],
  [
    'model_not_allowed',
    'The key did not allow this model then. It does now.',
    key({ allowedModels: ['mine/*'] }),
  ],
  ['spend_limit_reached', null],
  [
    'spend_limit_reached',
    'A limit was reached then. $4.50 of it is left now.',
    key({ spendLimits: [{ ...cap, usd: 9.5 }] }),
  ],
  ['spend_limit_reached', null, key({ spendLimits: [{ ...cap, usd: 9.5 }], strict: true })],
  ['spend_limit_reached', REMOVED, key({ spendLimits: [] })],
  ['spend_limit_reached', null, key({ spendLimits: createLimits(1, 3) }), second],
  [
    'spend_limit_reached',
    'A limit was reached then. $1.00 of it is left now.',
    key({ spendLimits: createLimits(1, 4) }),
    second,
  ],
  ['spend_limit_reached', REMOVED, {}, second],
  ['account_limit_reached', null],
  [
    'account_limit_reached',
    'A limit was reached then. $1.00 of it is left now.',
    { account: accountWithLimit(21, { monthSpendUsd: 20 }) },
  ],
  [
    'account_limit_reached',
    null,
    { strictLimits: true, account: accountWithLimit(21, { monthSpendUsd: 20 }) },
  ],
  ['spend_reserved', null, key({ reservedUsd: 1 })],
  ['spend_reserved', NO_LONGER_RESERVED],
  ['spend_held', null, all({ reservedUsd: 1 })],
  ['spend_held', 'The rest of a cap or limit was reserved then. Nothing is reserved now.'],
  ['model_disabled', null, { model: { ...present.model, enabled: false } }],
  ['model_disabled', 'The model was disabled then. It is enabled now.'],
  ['model_not_found', null, { model: null }],
  ['model_not_found', 'There was no model with this name then. There is one now.'],
  ['model_unpriced', null, {}, { param: 'model' }],
  ['model_unpriced', null, { model: modelRow('m') }, { param: 'tools[0]' }],
  [
    'model_unpriced',
    'The model had no price then. It has one now.',
    { model: modelRow('m') },
    { param: 'model' },
  ],
  ['idempotency_key_reused', null],
])('%s: %j with %j', (code, said, change = {}, error = {}) => {
  const failed = { error: { type: '', code, ...error }, keyId: 'key_1', model: 'm', failedAt: null }
  expect(describeSolved({ ...present, ...change }, failed)).toBe(said)
})

test('a limit per minute has passed after a minute', () => {
  const error = { type: 'rate_limit_exceeded', code: 'key_rate_limit' }
  const ask = (failedAt: number | null) =>
    describeSolved(present, { error, keyId: 'key_1', model: 'm', failedAt })
  expect([ask(null), ask(NOW - 59_000)]).toEqual([null, null])
  expect(ask(NOW - 60_000)).toContain('has passed')
})
