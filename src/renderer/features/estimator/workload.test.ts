import { expect, test } from 'vitest'
import { monthlyTokens, readWorkload, switchEntry, type Workload, writeWorkload } from './workload.ts'

const perRequest: Workload = { requests: 1_000, input: 500, output: 200, cached: 40, written: 10 }

test('a workload is written into an address and read from it, and other parameters stay', () => {
  const search = writeWorkload(new URLSearchParams('sort=-cost'), perRequest)
  expect(search.get('sort')).toBe('-cost')
  expect(readWorkload(search)).toEqual(perRequest)
  expect(readWorkload(writeWorkload(search, null))).toBeNull()
  expect(search.toString()).toBe('sort=-cost')
})

test('numbers in an address that make no sense are ignored', () => {
  expect(readWorkload(new URLSearchParams('in=-1&out=x'))).toBeNull()
  expect(readWorkload(new URLSearchParams('in=5&out=1e99&requests=1.5&cached=90&written=90'))).toEqual({
    requests: null,
    input: 5,
    output: 0,
    cached: 90,
    written: 10,
  })
})

test('the tokens of a month are those of all requests, by how they are billed', () => {
  expect(monthlyTokens(perRequest)).toEqual({
    requests: 1_000,
    input: 250_000,
    cacheRead: 200_000,
    cacheWrite: 50_000,
    output: 200_000,
  })
})

test('the same workload can be entered in both ways', () => {
  const perMonth = switchEntry(perRequest, 7)
  expect(perMonth).toEqual({ requests: null, input: 500_000, output: 200_000, cached: 40, written: 10 })
  expect(switchEntry(perMonth, 1_000)).toEqual(perRequest)
  expect(switchEntry(perMonth, 0)).toMatchObject({ requests: 1, input: 500_000 })
})
