import { afterEach, describe, expect, it } from 'vitest'
import { followLocale } from '../../shared/values/locale.ts'
import {
  createUsdTickFormat,
  formatAgo,
  formatBytes,
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatMoment,
  formatQuantity,
  formatTime,
  formatUsd,
  formatUsdExact,
  getDay,
} from './format.ts'

describe('amounts', () => {
  it.each([
    [
      [0, 0.025, 0.05],
      ['$0', '$0.025', '$0.050'],
    ],
    [
      [0, 0.5, 1],
      ['$0', '$0.50', '$1.00'],
    ],
    [
      [0, 5, 10],
      ['$0', '$5', '$10'],
    ],
    [
      [0, 12.5, 25],
      ['$0', '$12.50', '$25.00'],
    ],
    [
      [0, 2500, 250_000],
      ['$0', '$2,500', '$250k'],
    ],
  ])('writes the ticks %j of an axis with the same number of decimals', (ticks, texts) =>
    expect(ticks.map(createUsdTickFormat(ticks))).toEqual(texts),
  )

  it('writes an exact amount to the nano-dollar', () => {
    expect(formatUsdExact(12.340000001)).toBe('$12.340000001')
    expect(formatUsdExact(5)).toBe('$5.00')
  })
})

describe('counts and durations', () => {
  it('shortens counts from ten thousand up', () => {
    expect(formatCount(9999, true)).toBe('9,999')
    expect(formatCount(12_345, true)).toBe('12.3k')
    expect(formatCount(4_500_000, true)).toBe('4.5M')
    expect(formatCount(12_345)).toBe('12,345')
    expect([0, 1, 12_345].map((count) => formatQuantity(count, 'model'))).toEqual([
      '0 models',
      '1 model',
      '12,345 models',
    ])
  })

  it.each([
    [0, '0 B'],
    [640, '640 B'],
    [12_345, '12.3 kB'],
    [999_940, '999.9 kB'],
    [4_000_000, '4.0 MB'],
    [4_520_000_000, '4.5 GB'],
  ])('writes %d bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it.each([
    [0.2, '<1 ms'],
    [340.4, '340 ms'],
    [1240, '1.24 s'],
    [12_340, '12.3 s'],
    [125_000, '2 min 5 s'],
  ])('writes %d ms', (ms, text) => expect(formatDuration(ms)).toBe(text))
})

describe('moments', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')

  it.each([
    ['2026-11-21T11:59:55Z', 'just now'],
    ['2026-11-21T11:57:00Z', '3 min ago'],
    ['2026-11-21T09:00:00Z', '3 h ago'],
    ['2026-11-20T09:00:00Z', 'yesterday'],
    ['2026-11-11T12:00:00Z', '10 days ago'],
    ['2026-01-02T12:00:00Z', '2 Jan 2026'],
  ])('says how long ago %s was', (iso, text) => expect(formatAgo(iso, now, 'UTC')).toBe(text))

  it('shows the time for today, and the date for other days', () => {
    expect(formatClock('2026-11-21T09:03:22Z', now, 'UTC')).toBe('09:03:22')
    expect(formatClock('2026-11-20T09:03:22Z', now, 'UTC')).toBe('20 Nov 09:03')
    expect(formatClock('2026-09-20T09:03:22Z', now, 'UTC')).toBe('20 Sep 09:03')
  })

  it('names the year of a day only if it is not this year', () => {
    expect(formatDay('2026-12-05T12:00:00Z', now, 'UTC')).toBe('5 Dec')
    expect(formatDay('2027-01-05T12:00:00Z', now, 'UTC')).toBe('5 Jan 2027')
  })

  it('takes the calendar day of the time zone', () => {
    expect(getDay(Date.parse('2026-11-21T23:30:00Z'), 'Asia/Tokyo')).toBe('2026-11-22')
    expect(getDay(Date.parse('2026-11-21T23:30:00Z'), 'UTC')).toBe('2026-11-21')
  })
})

describe('a locale', () => {
  const at = '2026-09-08T14:03:22Z'
  const write = () => [
    formatUsd(1234.5),
    formatUsdExact(-1234.500000001),
    formatCount(1_234_567),
    formatCount(12_345, true),
    formatDuration(1240),
    formatMoment(at, 'UTC'),
    formatTime(at, 'UTC'),
  ]

  afterEach(() => followLocale(null))

  it.each([
    [null, '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s 8 Sep 2026, 14:03:22 14:03'],
    ['en-GB', '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s 8 Sep 2026, 14:03:22 14:03'],
    ['en-US', '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s Sep 8, 2026, 2:03:22 PM 2:03 PM'],
    ['de-DE', '$1.234,50 −$1.234,500000001 1.234.567 12,3k 1,24 s 8 Sep 2026, 14:03:22 14:03'],
    ['de-CH', "$1'234.50 −$1'234.500000001 1'234'567 12.3k 1.24 s 8 Sep 2026, 14:03:22 14:03"],
    ['fr-FR', '$1 234,50 −$1 234,500000001 1 234 567 12,3k 1,24 s 8 Sep 2026, 14:03:22 14:03'],
    ['es-ES', '$1.234,50 −$1.234,500000001 1.234.567 12,3k 1,24 s 8 Sep 2026, 14:03:22 14:03'],
    ['ja-JP', '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s Sep 8, 2026, 14:03:22 14:03'],
    ['ar-EG-u-nu-arab', '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s 8 Sep 2026, 2:03:22 pm 2:03 pm'],
    ['en-US@posix', '$1,234.50 −$1,234.500000001 1,234,567 12.3k 1.24 s Sep 8, 2026, 2:03:22 PM 2:03 PM'],
  ])('%s has its own order, clock and separators in English texts', (locale, texts) => {
    followLocale(locale)
    // Locales separate with other spaces.
    expect(write().join(' ').replace(/\s/g, ' ')).toBe(texts)
  })
})
