import { describe, expect, it, test } from 'vitest'
import { dayName } from '../../shared/values/calendar.ts'
import {
  type DateRange,
  PRESETS,
  rangeFromSearch,
  rangeToQuery,
  resolveRange,
  stepRange,
  toDays,
} from './date-range.ts'

const ZONE = 'America/New_York'
// 22 November, 07:30 in New York.
const NOW = Date.parse('2026-11-22T12:30:00Z')

const inSearch = (range: DateRange) => new URLSearchParams(rangeToQuery(range))
const getSpan = (range: DateRange, zone = ZONE) => {
  const { start, end } = resolveRange(range, NOW, zone)
  return [new Date(start).toISOString(), new Date(end).toISOString()]
}

describe('in an address', () => {
  const ranges: DateRange[] = [
    ...PRESETS.map(({ preset }) => ({ preset })),
    { firstDay: '2026-11-01', lastDay: '2026-11-07' },
    { startMs: NOW, endMs: NOW + 3_600_000 },
  ]
  it.each(ranges)('%o is the same after a round trip', (range) => {
    expect(rangeFromSearch(inSearch(range))).toEqual(range)
  })

  it('is written as days or as moments', () => {
    expect(inSearch({ preset: '7d' }).toString()).toBe('range=7d')
    expect(inSearch({ firstDay: '2026-11-01', lastDay: '2026-11-07' }).toString()).toBe(
      'from=2026-11-01&to=2026-11-07',
    )
    expect(rangeToQuery({ startMs: 0, endMs: 1000 })).toEqual({
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-01T00:00:01.000Z',
    })
    expect(rangeToQuery(null)).toEqual({})
  })

  it.each(['', 'range=year', 'from=2026-11-01', 'from=2026-11-07&to=2026-11-01', 'from=2026-02-30&to=x'])(
    'is none in "%s"',
    (search) => expect(rangeFromSearch(search)).toBeNull(),
  )
})

describe('has its limits in the time zone of the account', () => {
  it.each([
    ['24h', '2026-11-21T13:00:00.000Z', '2026-11-22T13:00:00.000Z'],
    ['today', '2026-11-22T05:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    ['yesterday', '2026-11-21T05:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['7d', '2026-11-16T05:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    // Before the clocks went back on 1 November, midnight was an hour earlier in UTC.
    ['30d', '2026-10-24T04:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    ['90d', '2026-08-25T04:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    ['month', '2026-11-01T04:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    ['last-month', '2026-10-01T04:00:00.000Z', '2026-11-01T04:00:00.000Z'],
    ['12m', '2025-12-01T05:00:00.000Z', '2026-11-23T05:00:00.000Z'],
  ] as const)('%s', (preset, from, to) => expect(getSpan({ preset })).toEqual([from, to]))

  test('days', () => {
    expect(getSpan({ firstDay: '2026-11-01', lastDay: '2026-11-01' })).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ])
    expect(getSpan({ firstDay: '2026-11-07', lastDay: '2026-11-07' }, 'Pacific/Kiritimati')).toEqual([
      '2026-11-06T10:00:00.000Z',
      '2026-11-07T10:00:00.000Z',
    ])
  })

  test('today is that of the zone', () => {
    expect(toDays({ preset: '7d' }, Date.parse('2026-11-21T23:30:00Z'), 'Asia/Tokyo').lastDay).toBe(
      '2026-11-22',
    )
  })
})

describe('one step', () => {
  const back = (range: DateRange) => stepRange(range, -1, NOW, ZONE)
  const forward = (range: DateRange) => stepRange(range, 1, NOW, ZONE)

  it('moves days by their number', () => {
    expect(back({ preset: '7d' })).toEqual({ firstDay: '2026-11-09', lastDay: '2026-11-15' })
    expect(back({ firstDay: '2026-11-01', lastDay: '2026-11-07' })).toEqual({
      firstDay: '2026-10-25',
      lastDay: '2026-10-31',
    })
  })

  it('moves months by months', () => {
    expect(back({ preset: 'month' })).toEqual({ preset: 'last-month' })
    expect(back({ preset: 'last-month' })).toEqual({ firstDay: '2026-09-01', lastDay: '2026-09-30' })
    expect(back({ preset: '12m' })).toEqual({ firstDay: '2024-12-01', lastDay: '2025-11-30' })
    expect(back({ firstDay: '2026-03-01', lastDay: '2026-03-31' })).toEqual({
      firstDay: '2026-02-01',
      lastDay: '2026-02-28',
    })
  })

  it.each(PRESETS)('back and forward again is $preset', ({ preset }) => {
    const before = back({ preset })
    expect(before).not.toBeNull()
    expect(before && forward(before)).toEqual({ preset })
  })

  it('does not lead into the future', () => {
    for (const { preset } of PRESETS.filter(
      (one) => one.preset !== 'last-month' && one.preset !== 'yesterday',
    )) {
      expect(forward({ preset }), preset).toBeNull()
    }
    expect(forward({ preset: 'yesterday' })).toEqual({ preset: 'today' })
    expect(forward({ preset: 'last-month' })).toEqual({ preset: 'month' })
    expect(forward({ firstDay: dayName(NOW, ZONE), lastDay: dayName(NOW, ZONE) })).toBeNull()
  })
})
