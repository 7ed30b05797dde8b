import { expect, test } from 'vitest'
import { describeRehearsal, joinDays } from './use-rehearsal.ts'

const stop = (date: string) => ({
  ...{ date, from: `${date}T00:00:00.000Z`, to: `${date}T23:59:59.000Z`, stoppedAt: `${date}T12:00:00.000Z` },
  ...{ spentUsd: 3, preventedUsd: 1 },
})
const result = (...dates: string[]) => ({
  ...{ param: 'spendLimits[0]', stops: dates.map(stop), stopCount: dates.length },
  preventedUsd: dates.length,
})
const who = 'Coding agents'

test('the days on which a limit would have stopped requests are named, and what it would have prevented', () => {
  expect(describeRehearsal(result('2026-11-12', '2026-11-19'), { per: 'day', who })).toBe(
    'Would have stopped Coding agents on 12 and 19 Nov. That is $2.00 less.',
  )
  expect(describeRehearsal(result(), { per: 'day', who })).toBe(
    'Would not have stopped Coding agents in the last 30 days.',
  )
})

test('many days are counted, sessions too, and a limit that only warns prevents nothing', () => {
  const many = result('2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05')
  expect(describeRehearsal(many, { per: 'day', who })).toContain('on 5 of the last 30 days.')
  expect(describeRehearsal({ ...many, stopCount: 120 }, { per: 'session', who })).toContain(
    'stopped 120 sessions of Coding agents in the last 30 days.',
  )
  expect(describeRehearsal(result('2026-11-01'), { per: 'day', action: 'warn', who })).toBe(
    'Would have warned of Coding agents on 1 Nov.',
  )
})

test('days of two months keep their months', () => {
  expect(joinDays(['2026-10-30', '2026-11-02', '2026-11-03'])).toBe('30 Oct, 2 Nov and 3 Nov')
})
