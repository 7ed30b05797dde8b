import { expect, test } from 'vitest'
import { project } from './projection.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-21T12:00:00Z')
const base = { spentUsd: 1, limitUsd: 5, lastDaysUsd: 7, sinceMs: now - 7 * DAY, nowMs: now }

test('the pace of seven days is carried on', () => {
  expect(project(base)).toEqual({ state: 'reached-at', atMs: now + 4 * DAY })
})

test('a young key is judged by its own days, one at least', () => {
  expect(project({ ...base, sinceMs: now - 2 * DAY, lastDaysUsd: 2 })).toMatchObject({ atMs: now + 4 * DAY })
  expect(project({ ...base, sinceMs: now - 60_000, lastDaysUsd: 1 })).toMatchObject({ atMs: now + 4 * DAY })
})

test('there is no date for a limit that is reached, at rest or far off', () => {
  expect(project({ ...base, spentUsd: 5 })).toEqual({ state: 'reached' })
  expect(project({ ...base, lastDaysUsd: 0 })).toEqual({ state: 'quiet' })
  expect(project({ ...base, lastDaysUsd: 0.01 })).toEqual({ state: 'far' })
})
