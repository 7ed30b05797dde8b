import { expect, test } from 'vitest'
import { forecast, project } from './cap-note.tsx'

const DAY = 86_400_000
const now = Date.parse('2026-11-21T12:00:00Z')
const base = { spentUsd: 1, limitUsd: 5, recentUsd: 7, sinceMs: now - 7 * DAY, nowMs: now }

test('the rate of the last seven days is projected', () => {
  expect(project(base)).toEqual({ state: 'reached-at', atMs: now + 4 * DAY })
})

test('the projection of a new key uses its age, at least one day', () => {
  expect(project({ ...base, sinceMs: now - 2 * DAY, recentUsd: 2 })).toMatchObject({ atMs: now + 4 * DAY })
  expect(project({ ...base, sinceMs: now - 60_000, recentUsd: 1 })).toMatchObject({ atMs: now + 4 * DAY })
})

test('there is no date for a limit that is reached, not approached or over a year away', () => {
  expect(project({ ...base, spentUsd: 5 })).toEqual({ state: 'reached' })
  expect(project({ ...base, recentUsd: 0 })).toEqual({ state: 'no-spend' })
  expect(project({ ...base, recentUsd: 0.01 })).toEqual({ state: 'far' })
})

test('a limit that is months away has no day', () => {
  const inDays = (days: number) => project({ ...base, spentUsd: 0, limitUsd: days })
  expect(inDays(89)).toEqual({ state: 'reached-at', atMs: now + 89 * DAY })
  expect(inDays(92)).toEqual({ state: 'lasts', months: 3 })
  expect(inDays(354)).toEqual({ state: 'lasts', months: 11 })
})

test('the end of the month is forecast from the rate of the last days', () => {
  const day = 86_400_000
  const rate = { spentUsd: 10, recentUsd: 7, sinceMs: 0, nowMs: 7 * day }
  expect(forecast({ ...rate, endMs: 10 * day })).toBe(13)
  expect(forecast({ ...rate, endMs: 7 * day })).toBe(10)
  expect(forecast({ ...rate, recentUsd: 0, endMs: 10 * day })).toBe(10)
  // A burst in the first hour is not continued every hour.
  expect(forecast({ ...rate, nowMs: 3_600_000, endMs: 3_600_000 + day })).toBe(17)
})
