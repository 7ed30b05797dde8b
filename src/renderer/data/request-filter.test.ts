import { expect, it } from 'vitest'
import { countFilters, filterFromSearch, filterToQuery, filterToSearch, noFilter } from './request-filter.ts'

it('is the same after a round trip through the address', () => {
  const filter = {
    range: { preset: '7d' },
    key: 'key_1',
    model: 'meta/llama & co',
    provider: null,
    client: 'Claude Code',
    session: 'ses_1',
    tag: 'tollgate',
    status: 'failed',
    minCostUsd: 0.0000001,
    maxCostUsd: 12.5,
    costStatus: 'unsettled',
    held: 'true',
    batch: '',
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

it('asks for a range by its moments, without an end while it has not ended', () => {
  const now = Date.UTC(2026, 10, 21, 12)
  const query = (search: string) => filterToQuery(filterFromSearch(search), 'Europe/Zurich', now)
  expect(query('range=7d')).toEqual({ from: '2026-11-14T23:00:00.000Z' })
  expect(query('from=2026-11-01&to=2026-11-02&key=k')).toEqual({
    from: '2026-10-31T23:00:00.000Z',
    to: '2026-11-02T23:00:00.000Z',
    key: 'k',
  })
  expect(query('')).toEqual({})
})

it('counts the filters besides search and range', () => {
  expect(countFilters(filterFromSearch('range=7d&q=x'))).toBe(0)
  expect(countFilters(filterFromSearch('key=k&status=failed&minCostUsd=1&costStatus=exact'))).toBe(3)
})
