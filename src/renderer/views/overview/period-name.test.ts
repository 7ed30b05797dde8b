import { expect, test } from 'vitest'
import { formatPeriod, formatPeriodShort } from './period-name.ts'

test('a period is named by its first day', () => {
  expect(formatPeriod('2026-11-21', 'day')).toBe('21 Nov')
  expect(formatPeriod('2026-11-16', 'week')).toBe('Week of 16 Nov')
  expect(formatPeriod('2026-11-01', 'month')).toBe('November 2026')
  expect(formatPeriodShort('2026-11-01', 'month')).toBe('Nov')
})
