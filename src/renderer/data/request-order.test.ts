import { expect, it } from 'vitest'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { requestRow } from '../testing/rows.ts'
import { indexOfRequest, insertRequest, isOlderThanAll } from './request-log.ts'

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)
const list = [requestRow('d', 4), requestRow('c', 3), requestRow('b', 3), requestRow('a', 1)]

it('finds each request, also among those with the same time', () => {
  expect(list.map((one) => indexOfRequest(list, one))).toEqual([0, 1, 2, 3])
  expect(indexOfRequest(list, requestRow('x', 3))).toBe(-1)
  expect(indexOfRequest([], requestRow('x', 3))).toBe(-1)
})

it('inserts a request by its time, or in place of its older state', () => {
  expect(ids(insertRequest(list, requestRow('n', 5)))).toEqual(['n', 'd', 'c', 'b', 'a'])
  expect(ids(insertRequest(list, requestRow('n', 2)))).toEqual(['d', 'c', 'b', 'n', 'a'])
  expect(ids(insertRequest(list, requestRow('n', 0)))).toEqual(['d', 'c', 'b', 'a', 'n'])
  const changed = insertRequest(list, requestRow('b', 3, { status: 'failed' }))
  expect(ids(changed)).toEqual(ids(list))
  expect(changed[2]?.status).toBe('failed')
})

it('knows whether a request is older than all in the list', () => {
  expect(isOlderThanAll(list, requestRow('x', 0))).toBe(true)
  expect(isOlderThanAll(list, requestRow('x', 1))).toBe(false)
  expect(isOlderThanAll([], requestRow('x', 0))).toBe(false)
})
