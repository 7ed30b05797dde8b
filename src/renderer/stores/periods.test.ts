import { expect, test } from 'vitest'
import { lastPeriods, startOfDay } from './periods.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')

test('days begin at midnight of the zone', () => {
  const days = lastPeriods('day', noon, 'America/New_York')
  expect(days).toHaveLength(30)
  expect(days.at(-1)).toEqual({
    day: '2026-11-21',
    from: '2026-11-21T05:00:00.000Z',
    to: '2026-11-22T05:00:00.000Z',
  })
  // Before the clocks went back on 1 November, midnight was an hour earlier in UTC.
  expect(days.find(({ day }) => day === '2026-10-31')?.from).toBe('2026-10-31T04:00:00.000Z')
})

test('one period ends where the next begins', () => {
  for (const span of ['day', 'week', 'month'] as const) {
    const periods = lastPeriods(span, noon, 'Europe/Rome')
    periods.slice(1).forEach((period, index) => {
      expect(period.from).toBe(periods[index]?.to)
    })
  }
})

test('weeks begin on Monday, months on the first', () => {
  expect(lastPeriods('week', noon, 'UTC').at(-1)?.day).toBe('2026-11-16')
  expect(lastPeriods('month', noon, 'UTC').map(({ day }) => day)).toEqual([
    ...['2025-12-01', '2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'],
    ...['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01', '2026-10-01', '2026-11-01'],
  ])
})

test('today is the day of the zone, not of UTC', () => {
  const late = Date.parse('2026-11-21T23:30:00Z')
  expect(lastPeriods('day', late, 'Asia/Tokyo').at(-1)?.day).toBe('2026-11-22')
  expect(startOfDay('2026-11-22', 'Asia/Kolkata')).toBe(Date.parse('2026-11-21T18:30:00Z'))
})
