import { expect, it } from 'vitest'
import { filterFromSearch, filterToSearch, noFilter } from './request-filter.ts'

it('survives the way through the address', () => {
  const filter = {
    key: 'key_1',
    model: 'meta/llama & co',
    provider: null,
    status: 'failed',
    text: 'time-out?',
  } as const
  expect(filterFromSearch(filterToSearch(filter))).toEqual(filter)
  expect(filterToSearch(noFilter)).toBe('')
})

it('ignores a status that does not exist', () => {
  expect(filterFromSearch('status=sleeping&q=x')).toEqual({ ...noFilter, text: 'x' })
})
