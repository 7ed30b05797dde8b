import { describe, expect, it } from 'vitest'
import { dayName, daySpan, monthSpan, weekSpan } from './calendar.ts'

const at = (text: string) => Date.parse(text)

describe('calendar', () => {
  it('begins a month at local midnight, not 30 days ago', () => {
    expect(monthSpan(at('2026-11-21T10:00:00Z'), 'America/New_York')).toEqual({
      start: at('2026-11-01T04:00:00Z'),
      end: at('2026-12-01T05:00:00Z'),
    })
  })

  it('knows that the first hours of a UTC month are still the old month in the west', () => {
    expect(monthSpan(at('2026-12-01T03:00:00Z'), 'America/New_York').end).toBe(at('2026-12-01T05:00:00Z'))
  })

  it('gives the day of a clock change 23 or 25 hours', () => {
    const spring = daySpan(at('2026-03-29T12:00:00Z'), 'Europe/Berlin')
    const autumn = daySpan(at('2026-10-25T12:00:00Z'), 'Europe/Berlin')
    expect([spring, autumn].map(({ start, end }) => (end - start) / 3_600_000)).toEqual([23, 25])
  })

  it('starts a day that has no midnight when the clocks have jumped', () => {
    expect(daySpan(at('2026-04-24T12:00:00Z'), 'Africa/Cairo').start).toBe(at('2026-04-23T22:00:00Z'))
  })

  it('begins a week on Monday, also when that lies in the month before', () => {
    expect(weekSpan(at('2026-11-01T12:00:00Z'), 'UTC')).toEqual({
      start: at('2026-10-26T00:00:00Z'),
      end: at('2026-11-02T00:00:00Z'),
    })
  })

  it('names the local day of an instant', () => {
    expect(dayName(at('2026-11-21T23:30:00Z'), 'Asia/Tokyo')).toBe('2026-11-22')
  })
})
