import { expect, it } from 'vitest'
import { requestRow } from '../testing/rows.ts'
import { filterFromSearch, filterToSearch, noFilter, passesFilter } from './request-filter.ts'

it('is the same after a round trip through the address', () => {
  const filter = {
    key: 'key_1',
    model: 'meta/llama & co',
    provider: null,
    status: 'failed',
    minCostUsd: 0.0000001,
    maxCostUsd: 12.5,
    costStatus: 'unsettled',
    text: 'time-out?',
  } as const
  expect(filterFromSearch(filterToSearch(filter))).toEqual(filter)
  expect(filterToSearch(noFilter)).toBe('')
})

it('keeps a bound of zero', () => {
  expect(filterFromSearch('maxCostUsd=0').maxCostUsd).toBe(0)
  expect(filterToSearch({ ...noFilter, maxCostUsd: 0 })).toBe('maxCostUsd=0')
})

it('ignores unknown values', () => {
  const search = 'status=sleeping&costStatus=cheap&minCostUsd=-1&maxCostUsd=much&q=x'
  expect(filterFromSearch(search)).toEqual({ ...noFilter, text: 'x' })
})

it('accepts a live record whose cost is within the bounds, which are inclusive', () => {
  const filter = { ...noFilter, minCostUsd: 0.01, maxCostUsd: 1 }
  const passes = (costUsd: number | null) => passesFilter(filter, requestRow('a', 1, { costUsd }))
  expect([0.009, 0.01, 0.5, 1, 1.01].map(passes)).toEqual([false, true, true, true, false])
  expect(passes(null)).toBe(false)
  expect(passesFilter({ ...noFilter, minCostUsd: 0 }, requestRow('a', 1, { costUsd: null }))).toBe(false)
})

it('accepts a live record by its cost status', () => {
  const filter = { ...noFilter, costStatus: 'unsettled' } as const
  expect(passesFilter(filter, requestRow('a', 1, { costStatus: 'unsettled' }))).toBe(true)
  expect(passesFilter(filter, requestRow('a', 1))).toBe(false)
})
