import { expect, test } from 'vitest'
import type { UsageRow } from '../../../shared/usage.ts'
import { noUsage } from '../../server-state/usage-periods.ts'
import { stackLayers } from './stack.ts'

function period(day: string, costs: Record<string, number>) {
  const rows = Object.entries(costs).map(
    ([group, costUsd]): UsageRow => ({
      group,
      label: group.toUpperCase(),
      ...noUsage,
      requests: 1,
      costUsd,
    }),
  )
  return { day, rows }
}

test('layers are ranked by what they cost over all periods', () => {
  const { layers, columns } = stackLayers([period('1', { a: 1, b: 3 }), period('2', { a: 1 })], 5)
  expect(layers.map(({ label, totalUsd }) => [label, totalUsd])).toEqual([
    ['B', 3],
    ['A', 2],
  ])
  expect(columns.map(({ parts }) => parts)).toEqual([
    [3, 1],
    [0, 1],
  ])
  expect(columns[0]).toMatchObject({ totalUsd: 4, requests: 2 })
})

test('the other groups are one layer, and the total stays the same', () => {
  const { layers, columns } = stackLayers([period('1', { a: 5, b: 4, c: 3, d: 2, e: 1 })], 2)
  expect(layers.map(({ id, label }) => [id, label])).toEqual([
    ['a', 'A'],
    ['b', 'B'],
    [null, '3 others'],
  ])
  expect(columns[0]?.parts).toEqual([5, 4, 6])
})

test('a single remaining group keeps its name', () => {
  expect(stackLayers([period('1', { a: 3, b: 2, c: 1 })], 2).layers.map(({ id }) => id)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('a group without cost has no layer', () => {
  const { layers, columns } = stackLayers([period('1', { free: 0 })], 2)
  expect(layers).toEqual([])
  expect(columns[0]).toMatchObject({ parts: [], requests: 1, totalUsd: 0 })
})
