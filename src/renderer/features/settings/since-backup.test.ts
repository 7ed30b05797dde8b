import { expect, test } from 'vitest'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { describeRestore } from './backups.tsx'

const madeAt = '2026-11-20T12:00:00.000Z'
const key = (name: string, createdAt: string, revokedAt: string | null = null): KeyMetadata => ({
  id: name,
  name,
  scope: 'full',
  purpose: 'user',
  secretHint: null,
  createdAt,
  lastUsedAt: null,
  revokedAt,
  spendUsd: 0,
  reservedUsd: 0,
  ...NO_KEY_OPTIONS,
})
const before = '2026-11-01T00:00:00.000Z'
const after = '2026-11-21T00:00:00.000Z'

test('names the spend since then, which caps would allow again', () => {
  expect(describeRestore(madeAt, { requests: 12, costUsd: 3.2 }, [])[0]).toBe(
    '$3.20 spent since then by 12 requests is no longer counted, so caps allow it to be spent again.',
  )
  expect(describeRestore(madeAt, null, [])[0]).toContain('caps allow it to be spent again')
})

test('keys created since stop working, and keys revoked since work again', () => {
  const sentences = describeRestore(madeAt, null, [
    key('old', before),
    key('new', after),
    key('gone', before, after),
    key('brief', after, after),
  ]).join('\n')
  expect(sentences).toContain('The key “new”, created since, stops working.')
  expect(sentences).toContain('The key “gone”, revoked since, works again.')
  expect(sentences).not.toMatch(/“old”|“brief”/)
})

test('names only the first of many keys', () => {
  const many = ['a', 'b', 'c', 'd', 'e'].map((name) => key(name, after))
  expect(describeRestore(madeAt, null, many)[1]).toBe(
    'The keys “a”, “b”, “c” and 2 more, created since, stop working.',
  )
})
