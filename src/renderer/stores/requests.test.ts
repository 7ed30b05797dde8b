import { beforeEach, expect, it } from 'vitest'
import type { RequestRecord } from '../../shared/requests.ts'
import { requestRow } from '../testing/rows.ts'
import { noFilter } from './request-filter.ts'
import { useRequests } from './requests.ts'

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)
const { arrive, hold } = useRequests.getState()

beforeEach(() => {
  useRequests.setState({
    filter: noFilter,
    records: [requestRow('b', 2)],
    held: [],
    holding: false,
    nextCursor: null,
    latestByKey: {},
    opened: null,
  })
})

it('puts a new request where its time belongs, and replaces an older state of one', () => {
  arrive([requestRow('c', 3, { status: 'running' }), requestRow('a', 1)])
  arrive([requestRow('c', 3)])
  const { records, latestByKey } = useRequests.getState()
  expect(ids(records)).toEqual(['c', 'b', 'a'])
  expect(records[0]?.status).toBe('succeeded')
  expect(latestByKey.key_1?.id).toBe('c')
})

it('holds back what arrives while the reader is further down', () => {
  hold(true)
  arrive([requestRow('c', 3)])
  arrive([requestRow('d', 4)])
  expect(ids(useRequests.getState().records)).toEqual(['b'])
  hold(false)
  expect(ids(useRequests.getState().records)).toEqual(['d', 'c', 'b'])
  expect(useRequests.getState().held).toEqual([])
})

it('shows only what passes the filter, and drops what no longer does', () => {
  useRequests.setState({ filter: { ...noFilter, status: 'running' }, records: [] })
  arrive([requestRow('c', 3, { status: 'running' }), requestRow('d', 4)])
  expect(ids(useRequests.getState().records)).toEqual(['c'])
  arrive([requestRow('c', 3)])
  expect(useRequests.getState().records).toEqual([])
})

it('drops what is held back once it no longer passes', () => {
  useRequests.setState({ filter: { ...noFilter, status: 'running' }, records: [], holding: true })
  arrive([requestRow('c', 3, { status: 'running' })])
  arrive([requestRow('c', 3)])
  expect(useRequests.getState().held).toEqual([])
})

it('leaves a change of a request that is further down than what is loaded to its own page', () => {
  useRequests.setState({ nextCursor: 'more' })
  arrive([requestRow('a', 1)])
  expect(ids(useRequests.getState().records)).toEqual(['b'])
})

it('keeps the opened request current, in the list or not', () => {
  useRequests.setState({ opened: requestRow('old', 0, { costStatus: 'unsettled' }), nextCursor: 'more' })
  arrive([requestRow('old', 0, { costStatus: 'confirmed', costUsd: 2 })])
  expect(useRequests.getState().opened).toMatchObject({ costStatus: 'confirmed', costUsd: 2 })
})

it('takes the last call of a key for its latest, however late the count of earlier ones is told', () => {
  const rejected = requestRow('x', 1, { status: 'rejected' })
  arrive([rejected, requestRow('c', 3)])
  arrive([{ ...rejected, count: 2, lastAt: requestRow('', 2).createdAt }])
  expect(useRequests.getState().latestByKey.key_1?.id).toBe('c')
  arrive([{ ...rejected, count: 3, lastAt: requestRow('', 4).createdAt }])
  expect(useRequests.getState().latestByKey.key_1).toMatchObject({ id: 'x', count: 3 })
})
