import { beforeEach, expect, it } from 'vitest'
import type { RequestRecord } from '../../shared/requests.ts'
import { noFilter } from './request-filter.ts'
import { useRequests } from './requests.ts'
import { record } from './testing/records.ts'

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)
const { arrive, hold } = useRequests.getState()

beforeEach(() => {
  useRequests.setState({
    filter: noFilter,
    records: [record('b', 2)],
    held: [],
    holding: false,
    nextCursor: null,
    latestByKey: {},
    opened: null,
  })
})

it('puts a new request where its time belongs, and replaces an older state of one', () => {
  arrive([record('c', 3, { status: 'running' }), record('a', 1)])
  arrive([record('c', 3)])
  const { records, latestByKey } = useRequests.getState()
  expect(ids(records)).toEqual(['c', 'b', 'a'])
  expect(records[0]?.status).toBe('succeeded')
  expect(latestByKey.key_1?.id).toBe('c')
})

it('holds back what arrives while the reader is further down', () => {
  hold(true)
  arrive([record('c', 3)])
  arrive([record('d', 4)])
  expect(ids(useRequests.getState().records)).toEqual(['b'])
  hold(false)
  expect(ids(useRequests.getState().records)).toEqual(['d', 'c', 'b'])
  expect(useRequests.getState().held).toEqual([])
})

it('shows only what passes the filter, and drops what no longer does', () => {
  useRequests.setState({ filter: { ...noFilter, status: 'running' }, records: [] })
  arrive([record('c', 3, { status: 'running' }), record('d', 4)])
  expect(ids(useRequests.getState().records)).toEqual(['c'])
  arrive([record('c', 3)])
  expect(useRequests.getState().records).toEqual([])
})

it('drops what is held back once it no longer passes', () => {
  useRequests.setState({ filter: { ...noFilter, status: 'running' }, records: [], holding: true })
  arrive([record('c', 3, { status: 'running' })])
  arrive([record('c', 3)])
  expect(useRequests.getState().held).toEqual([])
})

it('leaves a change of a request that is further down than what is loaded to its own page', () => {
  useRequests.setState({ nextCursor: 'more' })
  arrive([record('a', 1)])
  expect(ids(useRequests.getState().records)).toEqual(['b'])
})

it('keeps the opened request current, in the list or not', () => {
  useRequests.setState({ opened: record('old', 0, { costStatus: 'unsettled' }), nextCursor: 'more' })
  arrive([record('old', 0, { costStatus: 'confirmed', costUsd: 2 })])
  expect(useRequests.getState().opened).toMatchObject({ costStatus: 'confirmed', costUsd: 2 })
})

it('takes the last call of a key for its latest, however late the count of earlier ones is told', () => {
  const rejected = record('x', 1, { status: 'rejected' })
  arrive([rejected, record('c', 3)])
  arrive([{ ...rejected, count: 2, lastAt: record('', 2).createdAt }])
  expect(useRequests.getState().latestByKey.key_1?.id).toBe('c')
  arrive([{ ...rejected, count: 3, lastAt: record('', 4).createdAt }])
  expect(useRequests.getState().latestByKey.key_1).toMatchObject({ id: 'x', count: 3 })
})
