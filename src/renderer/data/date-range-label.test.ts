import { afterEach, expect, it } from 'vitest'
import { followLocale } from '../../shared/values/locale.ts'
import { formatRange, formatRangeDates } from './date-range.ts'

const NOW = Date.parse('2026-11-22T12:30:00Z')
const hour = (iso: string, hours = 1) => ({
  startMs: Date.parse(iso),
  endMs: Date.parse(iso) + hours * 3_600_000,
})
const days = (firstDay: string, lastDay: string) => ({ firstDay, lastDay })

it.each([
  [{ preset: '7d' }, 'Last 7 days'],
  [{ preset: 'last-month' }, 'Last month'],
  [days('2026-11-07', '2026-11-07'), '7 Nov'],
  [days('2026-11-01', '2026-11-07'), '1–7 Nov'],
  [days('2026-10-28', '2026-11-03'), '28 Oct – 3 Nov'],
  [days('2026-10-01', '2026-10-31'), 'October 2026'],
  [days('2025-12-28', '2026-01-03'), '28 Dec 2025 – 3 Jan 2026'],
  [days('2025-10-28', '2025-11-03'), '28 Oct – 3 Nov 2025'],
  [days('2025-11-01', '2025-11-03'), '1–3 Nov 2025'],
  [hour('2026-11-21T14:00:00Z'), '21 Nov, 14:00–15:00'],
  [hour('2026-11-21T23:00:00Z'), '21 Nov, 23:00–00:00'],
  [hour('2026-11-21T14:00:00Z', 12), '21 Nov, 14:00 – 22 Nov, 02:00'],
] as const)('%o is called %s', (range, label) => expect(formatRange(range, NOW, 'UTC')).toBe(label))

it.each([
  [{ preset: '7d' }, '16–22 Nov'],
  [{ preset: 'last-month' }, 'October 2026'],
  [{ preset: '24h' }, '21 Nov, 13:00 – 22 Nov, 13:00'],
] as const)('the dates of %o are %s', (range, label) => {
  expect(formatRangeDates(range, NOW, 'UTC')).toBe(label)
})

it.each([
  [days('2026-11-01', '2026-11-07'), 'Nov 1–7'],
  [days('2026-09-28', '2026-10-03'), 'Sep 28 – Oct 3'],
  [days('2025-11-01', '2025-11-03'), 'Nov 1–3, 2025'],
  [days('2025-12-28', '2026-01-03'), 'Dec 28, 2025 – Jan 3, 2026'],
  [hour('2026-11-21T14:00:00Z'), 'Nov 21, 2:00 PM–3:00 PM'],
] as const)('%o is called %s where the month comes first', (range, label) => {
  followLocale('en-US')
  expect(formatRange(range, NOW, 'UTC').replace(/\s/g, ' ')).toBe(label)
})

afterEach(() => followLocale(null))
