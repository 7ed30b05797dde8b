import { expect, test } from 'vitest'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { noUsage } from '../../data/periods.ts'
import { computeHeight, drawLatency, hideSeries, stackParts } from './plot.ts'

const cost = ({ costUsd }: { costUsd: number }) => costUsd

function period(group: string, costs: Record<string, number>) {
  const rows = Object.entries(costs).map(
    ([name, costUsd]): UsageRow => ({
      group: name,
      label: name.toUpperCase(),
      ...noUsage,
      requests: 1,
      unpriced: costUsd === 0 ? 1 : 0,
      costUsd,
    }),
  )
  return { group, startMs: 0, endMs: 1, rows }
}

test('parts are ranked by their sums over all periods', () => {
  const { series, columns } = stackParts([period('1', { a: 1, b: 3 }), period('2', { a: 1 })], 5, cost)
  expect(series.map(({ label, total }) => [label, total])).toEqual([
    ['B', 3],
    ['A', 2],
  ])
  expect(columns.map(({ values }) => values)).toEqual([
    [3, 1],
    [0, 1],
  ])
  expect(columns[0]).toMatchObject({ requests: 2, unpriced: 0 })
})

test('any measure can be stacked', () => {
  const { series } = stackParts([period('1', { a: 1, b: 3 })], 5, ({ requests }) => requests)
  expect(series.map(({ total }) => total)).toEqual([1, 1])
})

test('the other groups are one series, and the height stays the same', () => {
  const plot = stackParts([period('1', { a: 5, b: 4, c: 3, d: 2, e: 1 })], 2, cost)
  expect(plot.series.map(({ id, label }) => [id, label])).toEqual([
    ['a', 'A'],
    ['b', 'B'],
    [null, '3 others'],
  ])
  expect(plot.columns[0]?.values).toEqual([5, 4, 6])
  expect(plot.columns.map((column) => computeHeight(column, 'bars'))).toEqual([15])
})

test('a single remaining group keeps its name', () => {
  expect(stackParts([period('1', { a: 3, b: 2, c: 1 })], 2, cost).series.map(({ id }) => id)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('a group of which there is nothing has no series', () => {
  const { series, columns } = stackParts([period('1', { free: 0 })], 2, cost)
  expect(series).toEqual([])
  expect(columns[0]).toMatchObject({ values: [], requests: 1, unpriced: 1 })
})

test('a hidden series leaves its place empty, so that the others keep their colors', () => {
  const plot = hideSeries(stackParts([period('1', { a: 5, b: 4, c: 3, d: 2 })], 2, cost), new Set(['a']))
  expect(plot.columns[0]?.values).toEqual([null, 4, 5])
  expect(plot.series).toHaveLength(3)
})

test('a period without requests that succeeded has no point on the lines of latency', () => {
  const row = { group: '1', label: '1', ...noUsage, latencyP50Ms: 200, latencyP95Ms: 900 }
  const periods = [
    { ...period('1', {}), rows: [row] },
    { ...period('2', {}), rows: [{ ...row, latencyP50Ms: null, latencyP95Ms: null }] },
    period('3', {}),
  ]
  const plot = drawLatency(periods, { latencyP50Ms: 200, latencyP95Ms: 900 })
  expect(plot.columns.map(({ values }) => values)).toEqual([
    [200, 900],
    [null, null],
    [null, null],
  ])
  expect(plot.series.map(({ total }) => total)).toEqual([200, 900])
  expect(plot.columns.map((column) => computeHeight(column, 'lines'))).toEqual([900, 0, 0])
  expect(drawLatency(periods, { latencyP50Ms: null }).series).toEqual([])
})
