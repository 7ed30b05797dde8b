import { describe, expect, it } from 'vitest'
import { readRetryAfter } from './upstream-response.ts'

describe('readRetryAfter', () => {
  const now = Date.parse('2026-11-01T12:00:00Z')
  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Sun, 01 Nov 2026 12:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{}, null],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfter(headers, now)).toBe(expected)
  })
})
