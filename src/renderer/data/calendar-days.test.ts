import { expect, it } from 'vitest'
import { addDays, addMonths, countDays, isDay, lastOfMonth, parseTypedDay } from './date-range.ts'

it('counts across months, leap days and years', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
  expect(addMonths('2026-01-01', -1)).toBe('2025-12-01')
  expect(addMonths('2026-11-01', 14)).toBe('2028-01-01')
  expect(lastOfMonth('2026-02-10')).toBe('2026-02-28')
  expect(countDays('2026-10-30', '2026-11-02')).toBe(4)
})

it.each([
  ['2026-11-21', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['21 Nov', false],
])('%s is a day: %s', (text, expected) => expect(isDay(text)).toBe(expected))

it.each([
  ['2026-11-07', '2026-11-07'],
  [' 7 Nov 2025 ', '2025-11-07'],
  ['7 November', '2026-11-07'],
  ['Nov 7, 2025', '2025-11-07'],
  ['Nov 7', '2026-11-07'],
  ['1. dec', '2025-12-01'],
  ['22 Nov', '2026-11-22'],
  ['31 Feb 2026', null],
  ['yesterday', null],
  ['', null],
])('"%s", typed on 22 November 2026, is %s', (text, day) => {
  expect(parseTypedDay(text, '2026-11-22')).toBe(day)
})
