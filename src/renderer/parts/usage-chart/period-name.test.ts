import { afterEach, expect, test } from 'vitest'
import { followLocale } from '../../../shared/values/locale.ts'
import { periodsIn, type Unit } from '../../data/periods.ts'
import { formatPeriod, formatPeriodShort, isLabeled } from './period-name.ts'

const ZONE = 'America/New_York'
const year = new Date().getFullYear()
const period = (group: string) => ({
  group,
  startMs: Date.parse(group),
  endMs: Date.parse(group) + 3_600_000,
})

test('a period is named by its first day', () => {
  expect(formatPeriod(period(`${year}-11-21`), 'day', ZONE)).toBe('21 Nov')
  expect(formatPeriod(period(`${year - 1}-11-21`), 'day', ZONE)).toBe(`21 Nov ${year - 1}`)
  expect(formatPeriod(period(`${year}-11-16`), 'week', ZONE)).toBe('Week of 16 Nov')
  expect(formatPeriod(period('2026-11-01'), 'month', ZONE)).toBe('November 2026')
})

test('an hour is named by the clocks of the zone', () => {
  expect(formatPeriod(period('2026-11-21T19:00:00.000Z'), 'hour', ZONE)).toBe('21 Nov, 14:00–15:00')
})

test('labels of the axis name a day at midnight, and a year in January', () => {
  const short = (group: string, unit: Unit) => formatPeriodShort(period(group), unit, ZONE)
  expect(short('2026-11-21T19:00:00.000Z', 'hour')).toBe('14:00')
  expect(short('2026-11-22T05:00:00.000Z', 'hour')).toBe('22 Nov')
  expect(short('2026-11-01', 'month')).toBe('Nov')
  expect(short('2027-01-01', 'month')).toBe('Jan 2027')
})

afterEach(() => followLocale(null))

test.each([
  ['en-GB', ['12:00', '18:00', '21 Nov', '06:00', '12:00', '18:00', '22 Nov', '06:00']],
  ['en-US', ['12:00 PM', '6:00 PM', 'Nov 21', '6:00 AM', '12:00 PM', '6:00 PM', 'Nov 22', '6:00 AM']],
])('the axis has a label at each midnight, whatever the range begins with: %s', (locale, expected) => {
  followLocale(locale)
  const start = Date.parse('2026-11-20T13:00:00Z')
  const hours = periodsIn({ start, end: start + 48 * 3_600_000 }, 'hour', ZONE)
  const labels = hours
    .filter((_, index) => isLabeled(hours, index, 5, 'hour', ZONE))
    .map((hour) => formatPeriodShort(hour, 'hour', ZONE).replace(/\s/g, ' '))
  expect(labels).toEqual(expected)
})

test('the newest day has a label', () => {
  const days = periodsIn({ start: Date.parse('2026-11-01'), end: Date.parse('2026-11-08') }, 'day', 'UTC')
  expect(days.map((_, index) => isLabeled(days, index, 3, 'day', 'UTC'))).toEqual([
    ...[true, false, false],
    ...[true, false, false],
    true,
  ])
})
