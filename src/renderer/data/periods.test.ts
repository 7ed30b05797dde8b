import { expect, test } from 'vitest'
import { dayStart } from '../../shared/values/calendar.ts'
import { chooseUnit, periodsIn, possibleUnits, toRange, type Unit } from './periods.ts'

const between = (from: string, to: string) => ({ start: Date.parse(from), end: Date.parse(to) })
const days = (firstDay: string, count: number, zone = 'UTC') => {
  const last = new Date(Date.parse(firstDay) + count * 86_400_000).toISOString().slice(0, 10)
  return { start: dayStart(firstDay, zone), end: dayStart(last, zone) }
}
const names = (...args: Parameters<typeof periodsIn>) => periodsIn(...args).map(({ group }) => group)

test('days begin at midnight of the zone', () => {
  const periods = periodsIn(days('2026-10-31', 3, 'America/New_York'), 'day', 'America/New_York')
  // The clocks went back on 1 November, which had 25 hours.
  expect(periods).toEqual([
    {
      group: '2026-10-31',
      startMs: Date.parse('2026-10-31T04:00:00Z'),
      endMs: Date.parse('2026-11-01T04:00:00Z'),
    },
    {
      group: '2026-11-01',
      startMs: Date.parse('2026-11-01T04:00:00Z'),
      endMs: Date.parse('2026-11-02T05:00:00Z'),
    },
    {
      group: '2026-11-02',
      startMs: Date.parse('2026-11-02T05:00:00Z'),
      endMs: Date.parse('2026-11-03T05:00:00Z'),
    },
  ])
})

test('no day is skipped or named twice when the clocks change', () => {
  for (const zone of ['Europe/Paris', 'America/New_York', 'Africa/Cairo', 'Pacific/Apia', 'UTC']) {
    for (const first of ['2026-03-12', '2026-04-03', '2026-10-12']) {
      expect(new Set(names(days(first, 30, zone), 'day', zone)).size, zone).toBe(30)
    }
  }
})

test('hours are those of the clocks of the zone, also where they are half an hour off', () => {
  const range = between('2026-11-21T18:30:00Z', '2026-11-21T20:30:00Z')
  expect(names(range, 'hour', 'Asia/Kolkata')).toEqual([
    '2026-11-21T18:30:00.000Z',
    '2026-11-21T19:30:00.000Z',
  ])
  expect(names(days('2026-11-01', 1, 'America/New_York'), 'hour', 'America/New_York')).toHaveLength(25)
})

test('weeks begin on Monday, months on the first, and only the part in the range counts', () => {
  const range = days('2026-11-05', 10)
  expect(names(range, 'week', 'UTC')).toEqual(['2026-11-02', '2026-11-09'])
  const [first] = periodsIn(range, 'week', 'UTC')
  expect(first).toEqual({ group: '2026-11-02', startMs: range.start, endMs: Date.parse('2026-11-09') })
  expect(names(days('2026-10-20', 30), 'month', 'UTC')).toEqual(['2026-10-01', '2026-11-01'])
})

test.each<[number, Unit, Unit[]]>([
  [1, 'hour', ['hour']],
  [2, 'hour', ['hour', 'day']],
  [7, 'day', ['hour', 'day']],
  [30, 'day', ['day', 'week']],
  [90, 'week', ['day', 'week', 'month']],
  [365, 'month', ['day', 'week', 'month']],
  [800, 'month', ['week', 'month']],
])('a range of %d days is shown by %s, and can be by %o', (count, unit, possible) => {
  const range = days('2026-01-01', count)
  expect(chooseUnit(range)).toBe(unit)
  expect(possibleUnits(range)).toEqual(possible)
})

test('a day on which the clocks went back is still one day', () => {
  const zone = 'America/New_York'
  expect(chooseUnit(days('2026-10-31', 2, zone))).toBe('hour')
})

test('periods are a range of days, or of moments if they begin within a day', () => {
  const [first, , last] = periodsIn(days('2026-11-05', 3), 'day', 'UTC')
  const [hour] = periodsIn(days('2026-11-05', 1), 'hour', 'UTC')
  if (!first || !last || !hour) throw new Error('no periods')
  expect(toRange(first, last, 'UTC')).toEqual({ firstDay: '2026-11-05', lastDay: '2026-11-07' })
  expect(toRange(hour, hour, 'UTC')).toEqual({
    startMs: Date.parse('2026-11-05T00:00:00Z'),
    endMs: Date.parse('2026-11-05T01:00:00Z'),
  })
})
