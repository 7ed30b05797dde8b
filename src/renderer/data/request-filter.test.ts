import { expect, it } from 'vitest'
import { requestRow } from '../testing/rows.ts'
import {
  countFilters,
  filterFromSearch,
  filterToQuery,
  filterToSearch,
  noFilter,
  passesFilter,
} from './request-filter.ts'

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
  const passes = (costUsd: number | null) => passesFilter(filter, requestRow('a', 1, { costUsd }), 'UTC')
  expect([0.009, 0.01, 0.5, 1, 1.01].map(passes)).toEqual([false, true, true, true, false])
  expect(passes(null)).toBe(false)
  expect(passesFilter({ ...noFilter, minCostUsd: 0 }, requestRow('a', 1, { costUsd: null }), 'UTC')).toBe(
    false,
  )
})

it('accepts a live record by its cost status', () => {
  const filter = { ...noFilter, costStatus: 'unsettled' } as const
  expect(passesFilter(filter, requestRow('a', 1, { costStatus: 'unsettled' }), 'UTC')).toBe(true)
  expect(passesFilter(filter, requestRow('a', 1), 'UTC')).toBe(false)
})

it('accepts a live record after which an amount stays reserved', () => {
  const passes = (heldUsd: number | null) =>
    passesFilter({ ...noFilter, held: 'true' }, requestRow('a', 1, { heldUsd }), 'UTC')
  expect([passes(0.3), passes(null)]).toEqual([true, false])
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

it('accepts a live record within the range', () => {
  const passes = (search: string) => passesFilter(filterFromSearch(search), requestRow('a', 1), 'UTC')
  expect(passes('from=2026-11-21&to=2026-11-21')).toBe(true)
  expect(passes('from=2026-11-22&to=2026-11-22')).toBe(false)
  expect(passes('from=2026-11-21T11:00:00Z&to=2026-11-21T12:00:00Z')).toBe(false)
})

it('counts the filters besides search and range', () => {
  expect(countFilters(filterFromSearch('range=7d&q=x'))).toBe(0)
  expect(countFilters(filterFromSearch('key=k&status=failed&minCostUsd=1&costStatus=exact'))).toBe(3)
})

it('accepts a live record by the name of its client, also one without', () => {
  const passes = (search: string, clientName: string | null) =>
    passesFilter(filterFromSearch(search), requestRow('a', 1, { clientName }), 'UTC')
  expect(passes('client=Claude+Code', 'Claude Code')).toBe(true)
  expect(passes('client=Claude+Code', 'OpenAI/JS')).toBe(false)
  expect(passes('client=', null)).toBe(true)
  expect(passes('client=', 'Claude Code')).toBe(false)
  expect(passes('q=claude+c', 'Claude Code')).toBe(true)
})
