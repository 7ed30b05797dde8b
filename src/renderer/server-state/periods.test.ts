import { expect, test } from 'vitest'
import { lastPeriods, PERIOD_COUNTS } from './periods.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')
const names = (...args: Parameters<typeof lastPeriods>) => lastPeriods(...args).map(({ day }) => day)

test('days begin at midnight of the zone', () => {
  const days = lastPeriods('day', noon, 'America/New_York')
  expect(days).toHaveLength(PERIOD_COUNTS.day)
  expect(days.at(-1)).toEqual({ day: '2026-11-21', from: '2026-11-21T05:00:00.000Z' })
  // Before the clocks went back on 1 November, midnight was an hour earlier in UTC.
  expect(days.find(({ day }) => day === '2026-10-31')?.from).toBe('2026-10-31T04:00:00.000Z')
})

test('no day is skipped or named twice when the clocks change', () => {
  for (const zone of ['Europe/Paris', 'America/New_York', 'Africa/Cairo', 'Pacific/Apia', 'UTC']) {
    for (const now of ['2026-04-10T00:30:00Z', '2026-05-02T12:00:00Z', '2026-11-10T23:30:00Z']) {
      expect(new Set(names('day', Date.parse(now), zone)).size, zone).toBe(PERIOD_COUNTS.day)
    }
  }
})

test('weeks begin on Monday, months on the first', () => {
  expect(names('week', noon, 'UTC').at(-1)).toBe('2026-11-16')
  expect(names('week', noon, 'UTC')[0]).toBe('2026-08-31')
  expect(names('month', noon, 'Europe/Rome')).toEqual([
    ...['2025-12-01', '2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'],
    ...['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01', '2026-10-01', '2026-11-01'],
  ])
})

test('today is the day of the zone, not of UTC', () => {
  const late = Date.parse('2026-11-21T23:30:00Z')
  expect(names('day', late, 'Asia/Tokyo').at(-1)).toBe('2026-11-22')
})
