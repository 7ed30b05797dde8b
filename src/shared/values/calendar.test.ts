import { describe, expect, test } from 'vitest'
import { dayName, daySpan, hourSpan, monthSpan, weekSpan } from './calendar.ts'

const at = (text: string) => Date.parse(text)

describe('calendar', () => {
  test('a month begins at local midnight of its first day', () => {
    expect(monthSpan(at('2026-11-21T10:00:00Z'), 'America/New_York')).toEqual({
      start: at('2026-11-01T04:00:00Z'),
      end: at('2026-12-01T05:00:00Z'),
    })
  })

  test('the first hours of a month in UTC belong to the previous month west of Greenwich', () => {
    expect(monthSpan(at('2026-12-01T03:00:00Z'), 'America/New_York').end).toBe(at('2026-12-01T05:00:00Z'))
  })

  test('an hour is that of the zone, also where its offset is not a whole hour', () => {
    const hour = hourSpan(at('2026-11-21T10:44:59.999Z'), 'Asia/Kathmandu')
    expect(hour).toEqual({ start: at('2026-11-21T10:15:00Z'), end: at('2026-11-21T11:15:00Z') })
    expect(hourSpan(at('2026-11-21T10:00:00Z'), 'UTC').start).toBe(at('2026-11-21T10:00:00Z'))
    const repeated = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((text) => at(text))
    expect(repeated.map((instant) => hourSpan(instant, 'Europe/Berlin').start)).toEqual([
      at('2026-10-25T00:00:00Z'),
      at('2026-10-25T01:00:00Z'),
    ])
  })

  test('a day with a clock change has 23 or 25 hours', () => {
    const spring = daySpan(at('2026-03-29T12:00:00Z'), 'Europe/Berlin')
    const autumn = daySpan(at('2026-10-25T12:00:00Z'), 'Europe/Berlin')
    expect([spring, autumn].map(({ start, end }) => (end - start) / 3_600_000)).toEqual([23, 25])
  })

  test('a day without a midnight begins when the clocks change', () => {
    expect(daySpan(at('2026-04-24T12:00:00Z'), 'Africa/Cairo').start).toBe(at('2026-04-23T22:00:00Z'))
  })

  test('a week begins on Monday, even in the previous month', () => {
    expect(weekSpan(at('2026-11-01T12:00:00Z'), 'UTC')).toEqual({
      start: at('2026-10-26T00:00:00Z'),
      end: at('2026-11-02T00:00:00Z'),
    })
  })

  test('the name of a day is its local date', () => {
    expect(dayName(at('2026-11-21T23:30:00Z'), 'Asia/Tokyo')).toBe('2026-11-22')
  })
})
