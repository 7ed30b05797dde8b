import { expect, test } from 'vitest'
import type { UsageRow } from '../../shared/api/usage.ts'
import { groupByPeriod, noUsage, periodsIn, rankByCost, sumUsage } from './periods.ts'

const row = (group: string, split: string, costUsd: number): UsageRow => ({
  group,
  label: group,
  split,
  splitLabel: split.toUpperCase(),
  ...noUsage,
  requests: 1,
  tokensIn: 10,
  tokensOut: 5,
  costUsd,
})

const days = periodsIn({ start: Date.parse('2026-11-20'), end: Date.parse('2026-11-23') }, 'day', 'UTC')
const rows = [row('2026-11-20', 'a', 1), row('2026-11-20', 'b', 5), row('2026-11-22', 'a', 2)]

test('every period is listed, including those without requests', () => {
  const periods = groupByPeriod(rows, days)
  expect(periods.map(({ group: day, rows }) => [day, rows.map(({ group }) => group)])).toEqual([
    ['2026-11-20', ['a', 'b']],
    ['2026-11-21', []],
    ['2026-11-22', ['a']],
  ])
  expect(periods[0]?.rows[1]).toEqual({
    ...noUsage,
    group: 'b',
    label: 'B',
    requests: 1,
    tokensIn: 10,
    tokensOut: 5,
    costUsd: 5,
  })
})

test('rows outside the periods are not counted', () => {
  expect(sumUsage(groupByPeriod([...rows, row('2026-10-01', 'a', 100)], days)).costUsd).toBe(8)
})

test('groups are ranked by their cost in all periods, then by their requests', () => {
  const free = { ...row('2026-11-21', 'c', 0), requests: 7 }
  const seldom = row('2026-11-21', 'd', 0)
  expect(
    rankByCost(groupByPeriod([seldom, free, ...rows], days)).map(({ label, costUsd }) => [label, costUsd]),
  ).toEqual([
    ['B', 5],
    ['A', 3],
    ['C', 0],
    ['D', 0],
  ])
  expect(sumUsage(groupByPeriod(rows, days))).toEqual({
    ...noUsage,
    requests: 3,
    tokensIn: 30,
    tokensOut: 15,
    costUsd: 8,
  })
})
