import { expect, it } from 'vitest'
import { lastDays } from './usage-days.ts'

it('gives every day a row, oldest first, ending today in the time zone', () => {
  const row = {
    group: '2026-11-21',
    label: '2026-11-21',
    requests: 2,
    tokensIn: 1,
    tokensOut: 1,
    costUsd: 0.5,
  }
  const days = lastDays([row], Date.parse('2026-11-21T16:00:00Z'), 'Asia/Tokyo', 3)
  expect(days.map(({ group }) => group)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22'])
  expect(days.map(({ costUsd }) => costUsd)).toEqual([0, 0.5, 0])
})

it('neither skips nor repeats a day when the clocks change', () => {
  const days = lastDays([], Date.parse('2026-10-27T12:00:00Z'), 'Europe/Paris', 5)
  expect(days.map(({ group }) => group)).toEqual([
    '2026-10-23',
    '2026-10-24',
    '2026-10-25',
    '2026-10-26',
    '2026-10-27',
  ])
})
