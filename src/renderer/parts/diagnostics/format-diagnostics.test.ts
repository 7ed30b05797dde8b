import { expect, test } from 'vitest'
import { noUsage } from '../../data/periods.ts'
import { keyRow } from '../../testing/rows.ts'
import { formatDiagnostics } from './diagnostics.tsx'

const key = keyRow('key_canary', { name: 'Canary key' })

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
