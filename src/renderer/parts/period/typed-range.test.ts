import { expect, it, test } from 'vitest'
import { parseTypedRange } from './date-range-panel.tsx'

// Wednesday, 15:30 in Berlin.
const NOW = Date.parse('2026-11-25T14:30:00Z')
const parse = (text: string) => parseTypedRange(text, NOW, 'Europe/Berlin')

it.each([
  ['since Monday', '2026-11-23', '2026-11-25'],
  ['since wed', '2026-11-25', '2026-11-25'],
  ['since 3 Nov', '2026-11-03', '2026-11-25'],
  ['since yesterday', '2026-11-24', '2026-11-25'],
  ['2 weeks', '2026-11-12', '2026-11-25'],
  ['last 10 d', '2026-11-16', '2026-11-25'],
  ['3 months', '2026-09-01', '2026-11-25'],
  ['this week', '2026-11-23', '2026-11-25'],
  ['last week', '2026-11-16', '2026-11-22'],
  ['October', '2026-10-01', '2026-10-31'],
  ['dec', '2025-12-01', '2025-12-31'],
  ['february 2024', '2024-02-01', '2024-02-29'],
  ['7 Nov', '2026-11-07', '2026-11-07'],
  ['1–7 Nov', '2026-11-01', '2026-11-07'],
  ['Nov 1–7', '2026-11-01', '2026-11-07'],
  ['Oct 28 – Nov 3', '2026-10-28', '2026-11-03'],
  ['Nov 1–3, 2025', '2025-11-01', '2025-11-03'],
  ['28 Dec to 3 Jan 2026', '2025-12-28', '2026-01-03'],
  ['2026-11-01 - 2026-11-07', '2026-11-01', '2026-11-07'],
])('"%s" is %s to %s', (text, firstDay, lastDay) => expect(parse(text)).toEqual({ firstDay, lastDay }))

test('hours and minutes end now', () => {
  expect(parse('3 h')).toEqual({ startMs: NOW - 3 * 3_600_000, endMs: NOW })
  expect(parse('last 90 minutes')).toEqual({ startMs: NOW - 90 * 60_000, endMs: NOW })
})

test('the names of the presets are understood', () => {
  expect(parse('Yesterday')).toEqual({ preset: 'yesterday' })
  expect(parse('last 90 days')).toEqual({ preset: '90d' })
})

it.each([
  '',
  'soon',
  'since',
  'since x',
  '0 h',
  '2026-11-07 to 2026-11-01',
  '2027-01-01',
  '31 Feb',
  '1 to 2 to 3 Nov',
])('"%s" is none', (text) => expect(parse(text)).toBeNull())
