import { expect, test } from 'vitest'
import { project } from './projection.ts'

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
