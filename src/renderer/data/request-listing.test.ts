import { expect, it } from 'vitest'
import {
  listingFromSearch,
  listingToSearch,
  newestFirst,
  noFilter,
  toggleSort,
  wholeLog,
} from './request-filter.ts'

it('is the same after a round trip through the address', () => {
  const listing = { filter: { ...noFilter, key: 'k' }, sort: 'cost', order: 'asc' } as const
  expect(listingToSearch(listing)).toBe('key=k&sort=cost&order=asc')
  expect(listingFromSearch('key=k&sort=cost&order=asc')).toEqual(listing)
  expect(listingToSearch(wholeLog)).toBe('')
  expect(listingFromSearch('sort=color&order=random')).toEqual(wholeLog)
})

it('sorts by a column in both orders, then by time again', () => {
  const descending = toggleSort(wholeLog, 'cost')
  expect(descending).toEqual({ filter: noFilter, sort: 'cost', order: 'desc' })
  const ascending = toggleSort(descending, 'cost')
  expect(ascending.order).toBe('asc')
  expect(toggleSort(ascending, 'cost')).toEqual(newestFirst(noFilter))
  expect(toggleSort(ascending, 'duration')).toEqual({ filter: noFilter, sort: 'duration', order: 'desc' })
  expect(toggleSort(wholeLog, 'time').order).toBe('asc')
})
