import { expect, test } from 'vitest'
import { rehearseCalendar, rehearseLifetime, rehearseRolling } from './rehearse-periods.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)
const spend = (...all: [string, number][]) => all.map(([text, nano]) => ({ slot: at(text), nano }))

test('a calendar limit stops each period that spent more', () => {
  const made = spend(['12T08:00', 3], ['12T20:00', 4], ['13T08:00', 5], ['14T01:00', 6])
  const days = rehearseCalendar(made, { per: 'day', limitNano: 5, zone: 'UTC' })
  expect(days).toMatchObject([
    { from: at('12T00:00'), stoppedAt: at('12T20:00'), spentNano: 7, preventedNano: 2 },
    { from: at('14T00:00'), stoppedAt: at('14T01:00'), spentNano: 6, preventedNano: 1 },
  ])
  // The evening of the 12th and the night to the 14th are other days in New York.
  expect(rehearseCalendar(made, { per: 'day', limitNano: 10, zone: 'America/New_York' })).toMatchObject([
    { from: at('13T05:00'), spentNano: 11, preventedNano: 1 },
  ])
  expect(rehearseCalendar(made, { per: 'week', limitNano: 17, zone: 'UTC' })).toMatchObject([
    { from: at('09T00:00'), to: at('16T00:00'), preventedNano: 1 },
  ])
})

test('a rolling limit lets through what older spend leaves', () => {
  const made = spend(['12T08:00', 4], ['12T20:00', 4], ['13T07:00', 2], ['13T09:00', 4])
  const stops = rehearseRolling(made, { windowMs: DAY, limitNano: 6, zone: 'UTC' })
  expect(stops).toMatchObject([
    { stoppedAt: at('12T20:00'), preventedNano: 2 },
    // At 7 nothing has left; at 9 the first 4 have.
    { stoppedAt: at('13T07:00'), preventedNano: 2 },
  ])
})

test('a lifetime cap counts what was spent before, and stops once', () => {
  const made = spend(['12T08:00', 3], ['13T08:00', 3])
  expect(rehearseLifetime(made, { limitNano: 12, before: 8, now: at('14T00:00') })).toMatchObject([
    { stoppedAt: at('13T08:00'), preventedNano: 2 },
  ])
  expect(rehearseLifetime(made, { limitNano: 5, before: 8, now: 0 })).toMatchObject([{ preventedNano: 6 }])
  expect(rehearseLifetime(made, { limitNano: 14, before: 8, now: 0 })).toEqual([])
})
