import { expect, test } from 'vitest'
import { findPrevious } from './comparison.ts'
import type { DateRange } from './date-range.ts'

const now = Date.parse('2026-11-22T14:37:00Z')
const iso = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((ms) => new Date(ms).toISOString().slice(0, 16))

const find = (range: DateRange, zone = 'UTC') => {
  const previous = findPrevious(range, now, zone)
  return previous && { whole: iso(previous.whole), elapsed: iso(previous.elapsed) }
}

test('a range that contains now is compared with as much of the range before', () => {
  expect(find({ firstDay: '2026-11-22', lastDay: '2026-11-22' })).toEqual({
    whole: ['2026-11-21T00:00', '2026-11-22T00:00'],
    elapsed: ['2026-11-21T00:00', '2026-11-21T14:30'],
  })
  expect(find({ preset: '7d' })).toEqual({
    whole: ['2026-11-09T00:00', '2026-11-16T00:00'],
    elapsed: ['2026-11-09T00:00', '2026-11-15T14:30'],
  })
})

test('a month is compared with the month before', () => {
  expect(find({ preset: 'month' })).toEqual({
    whole: ['2026-10-01T00:00', '2026-11-01T00:00'],
    elapsed: ['2026-10-01T00:00', '2026-10-22T14:30'],
  })
})

test('the elapsed part of a month ends with a shorter month before it', () => {
  const previous = findPrevious({ preset: 'month' }, Date.parse('2026-03-31T12:00:00Z'), 'UTC')
  expect(previous && iso(previous.elapsed)).toEqual(['2026-02-01T00:00', '2026-03-01T00:00'])
})

test('a range that is over is compared with all of the range before', () => {
  expect(find({ preset: 'last-month' })?.elapsed).toEqual(['2026-09-01T00:00', '2026-10-01T00:00'])
  const times = { startMs: now - 7_200_000, endMs: now - 3_600_000 }
  expect(find(times)?.elapsed).toEqual(['2026-11-22T11:37', '2026-11-22T12:37'])
})

test('days begin in the time zone, also when the clocks change', () => {
  const range = { firstDay: '2026-10-26', lastDay: '2026-10-26' }
  expect(find(range, 'Europe/Berlin')?.whole).toEqual(['2026-10-24T22:00', '2026-10-25T23:00'])
})

test('a range in the future has none', () => {
  expect(find({ firstDay: '2026-12-01', lastDay: '2026-12-02' })).toBeNull()
})
