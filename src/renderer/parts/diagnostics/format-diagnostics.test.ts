import { expect, test } from 'vitest'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { noUsage } from '../../data/usage-periods.ts'
import { formatDiagnostics } from './copy-diagnostics.ts'

const key: KeyMetadata = {
  id: 'key_canary',
  name: 'Canary key',
  scope: 'full',
  purpose: 'user',
  secretHint: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  spendUsd: 0,
  reservedUsd: 0,
  ...NO_KEY_OPTIONS,
  spendLimitUsd: 5,
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
  usage: { ...noUsage, requests: 3 },
  nowMs: 0,
}

test('diagnostics count keys without naming them', () => {
  const text = formatDiagnostics({ ...empty, keys: [key, { ...key, revokedAt: key.createdAt }] })
  expect(text).toContain('keys: 1 active, 2 in total')
  expect(text).not.toContain('anary')
  expect(text).toContain('log: logs/tollgate.log in the data folder')
})

test('unknown values are left out', () => {
  expect(formatDiagnostics(empty)).not.toMatch(/null|undefined/)
})
