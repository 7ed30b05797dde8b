import { expect, test } from 'vitest'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { diagnostics } from './diagnostics.ts'

const key: KeyMetadata = {
  id: 'key_canary',
  name: 'Canary key',
  scope: 'full',
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  spendUsd: 0,
  reservedUsd: 0,
  spendLimitUsd: 5,
  rpmLimit: null,
  tpmLimit: null,
}

const empty = {
  info: null,
  desktop: null,
  engine: 'Chromium',
  link: 'live',
  account: null,
  settings: null,
  keys: [],
  providers: [],
  models: [],
  usage: { requests: 3, tokensIn: 0, tokensOut: 0, costUsd: 0 },
  nowMs: 0,
}

test('diagnostics count keys and name none', () => {
  const text = diagnostics({ ...empty, keys: [key, { ...key, revokedAt: key.createdAt }] })
  expect(text).toContain('keys: 1 in use, 2 in all')
  expect(text).not.toContain('anary')
})

test('what is not known is left out', () => {
  expect(diagnostics(empty)).not.toMatch(/null|undefined/)
})
