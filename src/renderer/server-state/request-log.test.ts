import { beforeEach, expect, test, vi } from 'vitest'
import type { RequestRecord } from '../../shared/requests.ts'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { requestRow } from '../testing/rows.ts'
import { applyResponse } from './live-queries.ts'
import { queryClient, refresh } from './query-client.ts'
import { noFilter, type RequestFilter } from './request-filter.ts'
import { holdRequests, loadOlderRequests, openRequest, requestLog } from './request-log.ts'

const running: RequestFilter = { ...noFilter, status: 'running' }
let gateway: FakeGateway

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)

function log(filter = noFilter) {
  const data = queryClient.getQueryData(requestLog(filter).queryKey)
  if (!data) throw new Error('The log was not read')
  return data
}

function arrive(...requests: RequestRecord[]): void {
  for (const request of requests) applyResponse({ type: 'request', request })
}

async function read(data: RequestRecord[], { filter = noFilter, nextCursor = null as string | null } = {}) {
  gateway.on('listRequests', () => ({ data, nextCursor }))
  await refresh(requestLog(filter))
}

beforeEach(() => {
  queryClient.clear()
  gateway = new FakeGateway().install()
  return () => vi.unstubAllGlobals()
})

test('a new request is listed by its time, and replaces its older state', async () => {
  await read([requestRow('b', 2)])
  arrive(requestRow('c', 3, { status: 'running' }), requestRow('a', 1))
  arrive(requestRow('c', 3))
  expect(ids(log().records)).toEqual(['c', 'b', 'a'])
  expect(log().records[0]?.status).toBe('succeeded')
})

test('a request that arrives while the list is read is newer than the response', async () => {
  await read([requestRow('a', 1, { status: 'running' })])
  const { answer } = gateway.hold('listRequests')
  const reading = refresh(requestLog(noFilter))
  arrive(requestRow('a', 1), requestRow('b', 2))
  answer({ data: [requestRow('a', 1, { status: 'running' })], nextCursor: null })
  await reading
  expect(log().records.map(({ id, status }) => [id, status])).toEqual([
    ['b', 'succeeded'],
    ['a', 'succeeded'],
  ])
})

test('a request that arrives while its older page is read is newer than the page', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  const { answer } = gateway.hold('listRequests')
  const reading = loadOlderRequests(noFilter)
  arrive(requestRow('a', 1))
  answer({ data: [requestRow('a', 1, { status: 'running' })], nextCursor: null })
  await reading
  expect(log().records.map(({ id, status }) => [id, status])).toEqual([
    ['b', 'succeeded'],
    ['a', 'succeeded'],
  ])
})

test('requests that arrive while the user is further down are held back', async () => {
  await read([requestRow('b', 2)])
  holdRequests(noFilter, true)
  arrive(requestRow('c', 3))
  arrive(requestRow('d', 4))
  expect(ids(log().records)).toEqual(['b'])
  holdRequests(noFilter, false)
  expect(ids(log().records)).toEqual(['d', 'c', 'b'])
  expect(log().held).toEqual([])
})

test('a refresh does not move the list while the user is further down', async () => {
  await read([requestRow('b', 2)])
  holdRequests(noFilter, true)
  await read([requestRow('c', 3), requestRow('b', 2, { status: 'failed' })])
  expect(log().records.map(({ id, status }) => [id, status])).toEqual([['b', 'failed']])
  expect(ids(log().held)).toEqual(['c'])
})

test('a filtered list has only matching requests', async () => {
  await read([], { filter: running })
  arrive(requestRow('c', 3, { status: 'running' }), requestRow('d', 4))
  expect(ids(log(running).records)).toEqual(['c'])
  arrive(requestRow('c', 3))
  expect(log(running).records).toEqual([])
})

test('a held request that no longer passes the filter is not shown', async () => {
  await read([], { filter: running })
  holdRequests(running, true)
  arrive(requestRow('c', 3, { status: 'running' }))
  expect(ids(log(running).held)).toEqual(['c'])
  arrive(requestRow('c', 3))
  expect(log(running).held).toEqual([])
})

test('a change of a request on an unread page is ignored', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  arrive(requestRow('a', 1))
  expect(ids(log().records)).toEqual(['b'])
})

test('older requests that could not be read are requested again only on demand', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  gateway.fail('listRequests', 'The database is locked.')
  await loadOlderRequests(noFilter)
  expect(log()).toMatchObject({ loadingOlder: false, olderError: { message: 'The database is locked.' } })
  gateway.on('listRequests', ({ query }) => {
    expect(query).toEqual({ limit: '100', cursor: 'more' })
    return { data: [requestRow('a', 1)], nextCursor: null }
  })
  await loadOlderRequests(noFilter)
  expect(log()).toMatchObject({ nextCursor: null, olderError: null })
  expect(ids(log().records)).toEqual(['b', 'a'])
})

test('the open request stays current, in the list or not', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  gateway.on('getRequest', () => requestRow('old', 0, { costStatus: 'unsettled' }))
  const opened = openRequest('old')
  await refresh(opened)
  arrive(requestRow('old', 0, { costStatus: 'confirmed', costUsd: 2 }))
  expect(queryClient.getQueryData(opened.queryKey)).toMatchObject({ costStatus: 'confirmed', costUsd: 2 })
})
