import { expect, test } from 'vitest'
import { account, keyRow, modelRow } from '../../testing/rows.ts'
import { describeSolved } from './solved.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const present = {
  key: keyRow('key_1', { spendUsd: 5, spendLimitUsd: 5 }),
  account: { ...account, monthSpendUsd: 20, monthlyLimitUsd: 20 },
  model: modelRow('m', { provider: 'mine', pricing: null }),
  strictLimits: false,
  now: NOW,
}
const week = (usd: number) => ({
  ...{ usd, per: 'week', spentUsd: 3, reservedUsd: 0, resetsAt: null },
  ...{ window: 'calendar', model: null, tag: null, action: 'stop' },
})
const createLimits = (...usd: number[]) => usd.map(week) as unknown as typeof present.key.spendLimits

test.each<[string, object, object, string | null]>([
  ['paused', { account: { ...account, pausedAt: '2026-11-23T11:00:00Z' } }, {}, null],
  ['paused', {}, {}, 'Everything was paused then. It has been resumed.'],
  ['key_paused', { key: { ...present.key, pausedAt: '2026-11-23T11:00:00Z' } }, {}, null],
  ['key_paused', {}, {}, 'The key was paused then. It has been resumed.'],
  ['key_expired', { key: { ...present.key, expiresAt: '2026-11-23T11:00:00Z' } }, {}, null],
  [
    'key_expired',
    { key: { ...present.key, expiresAt: '2026-11-24T11:00:00Z' } },
    {},
    'The end date of the key had passed then. The key can be used again.',
  ],
  ['model_not_allowed', { key: { ...present.key, allowedModels: ['other/*'] } }, {}, null],
  [
    'model_not_allowed',
    { key: { ...present.key, allowedModels: ['mine/*'] } },
    {},
    'The key did not allow this model then. It does now.',
  ],
  ['spend_limit_reached', {}, {}, null],
  [
    'spend_limit_reached',
    { key: { ...present.key, spendLimitUsd: 9.5 } },
    {},
    'A limit was reached then. $4.50 of it is left now.',
  ],
  ['spend_limit_reached', { key: { ...present.key, spendLimitUsd: 9.5, strict: true } }, {}, null],
  [
    'spend_limit_reached',
    { key: { ...present.key, spendLimitUsd: null } },
    {},
    'A limit was reached then. It has been removed.',
  ],
  [
    'spend_limit_reached',
    { key: { ...present.key, spendLimits: createLimits(1, 3) } },
    { param: 'spendLimits[1]' },
    null,
  ],
  [
    'spend_limit_reached',
    { key: { ...present.key, spendLimits: createLimits(1, 4) } },
    { param: 'spendLimits[1]' },
    'A limit was reached then. $1.00 of it is left now.',
  ],
  ['spend_limit_reached', {}, { param: 'spendLimits[1]' }, 'A limit was reached then. It has been removed.'],
  ['account_limit_reached', {}, {}, null],
  [
    'account_limit_reached',
    { account: { ...account, monthSpendUsd: 20, monthlyLimitUsd: 21 } },
    {},
    'A limit was reached then. $1.00 of it is left now.',
  ],
  [
    'account_limit_reached',
    { strictLimits: true, account: { ...account, monthSpendUsd: 20, monthlyLimitUsd: 21 } },
    {},
    null,
  ],
  ['spend_reserved', { key: { ...present.key, reservedUsd: 1 } }, {}, null],
  [
    'spend_reserved',
    {},
    {},
    'Running requests had reserved the rest of a cap or limit then. Nothing is reserved now.',
  ],
  ['spend_held', { account: { ...account, reservedUsd: 1 } }, {}, null],
  ['spend_held', {}, {}, 'The rest of a cap or limit was reserved then. Nothing is reserved now.'],
  ['model_disabled', { model: { ...present.model, enabled: false } }, {}, null],
  ['model_disabled', {}, {}, 'The model was disabled then. It is enabled now.'],
  ['model_not_found', { model: null }, {}, null],
  ['model_not_found', {}, {}, 'There was no model with this name then. There is one now.'],
  ['model_unpriced', {}, { param: 'model' }, null],
  ['model_unpriced', { model: modelRow('m') }, { param: 'tools[0]' }, null],
  [
    'model_unpriced',
    { model: modelRow('m') },
    { param: 'model' },
    'The model had no price then. It has one now.',
  ],
  ['idempotency_key_reused', {}, {}, null],
])('%s with %j: %j', (code, change, error, said) => {
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
