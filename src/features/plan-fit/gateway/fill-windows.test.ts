import { expect, test } from 'vitest'
import type { PlanLength } from '../api/plan-fit.ts'
import { fillWindows } from './fill-windows.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 2, 9)

const allow = (length: PlanLength, allowanceUsd: number | null) => ({
  ...{ length, allowanceUsd, basis: 'published' as const, note: '', source: '', asOf: '2026-11-01' },
})
/** Use of so many USD, so many hours after the start. */
const use = (...pairs: readonly (readonly [hour: number, usd: number])[]) =>
  pairs.map(([hour, usd]) => ({ at: START + hour * HOUR, usd }))

test('a window opens with the first use, and again with the first use after its end', () => {
  const { beyondUsd, windows } = fillWindows(
    use([0, 6], [4, 6], [5, 6], [20, 9], [24, 1]),
    [allow('five-hours', 10)],
    { timeZone: 'UTC' },
  )
  // 12 within five hours, then 6, then 10.
  expect(beyondUsd).toBe(2)
  expect(windows).toMatchObject([{ peakUsd: 12, fullDays: ['2026-11-02'] }])
})

test('use that one window refuses fills no other, and only the window that is full says so', () => {
  const { beyondUsd, windows } = fillWindows(
    use([0, 30], [24, 10], [48, 5]),
    [allow('five-hours', 10), allow('week', 20)],
    { timeZone: 'UTC' },
  )
  // 10 of 30 fit on the first day, 10 on the second, none on the third.
  expect(beyondUsd).toBe(25)
  expect(windows).toMatchObject([{ fullDays: ['2026-11-02'] }, { fullDays: ['2026-11-04'] }])
})

test('a window that is filled exactly was never full', () => {
  const { beyondUsd, windows } = fillWindows(use([0, 4], [1, 6]), [allow('week', 10)], { timeZone: 'UTC' })
  expect([beyondUsd, windows[0]?.fullDays]).toEqual([0, []])
})

test('a window whose allowance is not known refuses nothing, and shows the most use', () => {
  const { beyondUsd, windows } = fillWindows(use([0, 400], [6, 500]), [allow('five-hours', null)], {
    timeZone: 'UTC',
  })
  expect([beyondUsd, windows]).toMatchObject([0, [{ peakUsd: 500, fullDays: [] }]])
})

test('a month has 30 days, and days are those of the time zone', () => {
  const hours = use([0, 12], [29 * 24 + 13, 12], [30 * 24, 12])
  const days = (timeZone: string) =>
    fillWindows(hours, [allow('month', 10)], { timeZone }).windows[0]?.fullDays
  expect(days('UTC')).toEqual(['2026-11-02', '2026-12-01', '2026-12-02'])
  expect(days('Asia/Tokyo')).toEqual(['2026-11-02', '2026-12-02'])
})

test('of a month that ends later, the part until the end of the time is allowed, and of a week all', () => {
  const until = START + 3 * 24 * HOUR
  const fill = (length: PlanLength) =>
    fillWindows(use([0, 8]), [allow(length, 10)], { timeZone: 'UTC', until }).beyondUsd
  expect([fill('month'), fill('week')]).toEqual([7, 0])
})
