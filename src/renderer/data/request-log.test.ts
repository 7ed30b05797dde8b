import { QueryObserver } from '@tanstack/react-query'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { requestRow } from '../testing/rows.ts'
import { applyResponse } from './live-queries.ts'
import { queryClient, refresh } from './query-client.ts'
import { newestFirst, noFilter, type RequestListing, wholeLog } from './request-filter.ts'
import { holdRequests, loadOlderRequests, openRequest, requestLog, showHeldRequests } from './request-log.ts'

const running = newestFirst({ ...noFilter, status: 'running' })
const byCost: RequestListing = { filter: noFilter, sort: 'cost', order: 'desc' }
let gateway: FakeGateway

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)

function log(listing = wholeLog) {
  const data = queryClient.getQueryData(requestLog(listing).queryKey)
  if (!data) throw new Error('The log was not read')
  return data
}

function arrive(...requests: RequestRecord[]): void {
  for (const request of requests) applyResponse({ type: 'request', request })
}

async function read(data: RequestRecord[], { listing = wholeLog, nextCursor = null as string | null } = {}) {
  gateway.on('listRequests', () => ({ data, nextCursor }))
  await refresh(requestLog(listing))
}

/** The same of a list that is shown. */
async function show(data: RequestRecord[], { listing = running, nextCursor = null as string | null } = {}) {
  await read(data, { listing, nextCursor })
  onTestFinished(
    new QueryObserver(queryClient, { ...requestLog(listing), enabled: false }).subscribe(() => {}),
  )
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
  const reading = refresh(requestLog(wholeLog))
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
  const reading = loadOlderRequests(wholeLog)
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
  holdRequests(wholeLog, true)
  arrive(requestRow('c', 3))
  arrive(requestRow('d', 4))
  expect(ids(log().records)).toEqual(['b'])
  holdRequests(wholeLog, false)
  expect(ids(log().records)).toEqual(['d', 'c', 'b'])
  expect(log().held).toEqual([])
})

test('a refresh does not move the list while the user is further down', async () => {
  await read([requestRow('b', 2)])
  holdRequests(wholeLog, true)
  await read([requestRow('c', 3), requestRow('b', 2, { status: 'failed' })])
  expect(log().records.map(({ id, status }) => [id, status])).toEqual([['b', 'failed']])
  expect(ids(log().held)).toEqual(['c'])
})

test('a filtered list is read again when requests arrive or change, and what is listed of it changes at once', async () => {
  await show([requestRow('b', 2)], { nextCursor: 'more' })
  gateway.on('listRequests', () => ({
    data: [requestRow('c', 3, { status: 'running' }), requestRow('b', 2)],
    nextCursor: 'more',
  }))
  arrive(requestRow('c', 3, { status: 'running' }), requestRow('b', 2, { model: 'newer' }))
  expect(log(running).records.map(({ id, model }) => [id, model])).toEqual([['b', 'newer']])
  await vi.waitFor(() => expect(ids(log(running).records)).toEqual(['c', 'b']))
  expect(gateway.listCalls('listRequests').at(-1)?.query).toEqual({ limit: '60', status: 'running' })
  gateway.on('listRequests', () => ({ data: [requestRow('c', 3, { status: 'running' })], nextCursor: null }))
  arrive(requestRow('b', 2))
  await vi.waitFor(() => expect(ids(log(running).records)).toEqual(['c']))
})

test('a request that the rest of a filtered list has stays when its newest ones are read', async () => {
  await show([requestRow('b', 2), requestRow('a', 1)], { nextCursor: 'more' })
  gateway.on('listRequests', () => ({ data: [requestRow('c', 3)], nextCursor: 'next' }))
  arrive(requestRow('c', 3))
  await vi.waitFor(() => expect(ids(log(running).records)).toEqual(['c', 'b', 'a']))
  expect(log(running).nextCursor).toBe('more')
})

test('a held request that no longer passes the filter is not shown', async () => {
  await show([])
  holdRequests(running, true)
  gateway.on('listRequests', () => ({ data: [requestRow('c', 3, { status: 'running' })], nextCursor: null }))
  arrive(requestRow('c', 3, { status: 'running' }))
  await vi.waitFor(() => expect(ids(log(running).held)).toEqual(['c']))
  gateway.on('listRequests', () => ({ data: [], nextCursor: null }))
  arrive(requestRow('c', 3))
  await vi.waitFor(() => expect(log(running).held).toEqual([]))
})

test('a filtered list that cannot be read again stays, and is read at the next request', async () => {
  await show([requestRow('b', 2)])
  gateway.fail('listRequests', 'The database is locked.')
  arrive(requestRow('c', 3))
  await vi.waitFor(() => expect(gateway.listCalls('listRequests')).toHaveLength(2))
  expect(ids(log(running).records)).toEqual(['b'])
  gateway.on('listRequests', () => ({ data: [requestRow('c', 3), requestRow('b', 2)], nextCursor: null }))
  arrive(requestRow('c', 3))
  await vi.waitFor(() => expect(ids(log(running).records)).toEqual(['c', 'b']))
})

test('a change of a request on an unread page is ignored', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  arrive(requestRow('a', 1))
  expect(ids(log().records)).toEqual(['b'])
})

test('older requests that could not be read are requested again only on demand', async () => {
  await read([requestRow('b', 2)], { nextCursor: 'more' })
  gateway.fail('listRequests', 'The database is locked.')
  await loadOlderRequests(wholeLog)
  expect(log()).toMatchObject({ loadingOlder: false, olderError: { message: 'The database is locked.' } })
  gateway.on('listRequests', ({ query }) => {
    expect(query).toEqual({ limit: '100', cursor: 'more' })
    return { data: [requestRow('a', 1)], nextCursor: null }
  })
  await loadOlderRequests(wholeLog)
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

test('in another order, changed requests stay where they are, and new ones are held until the list is read again', async () => {
  await read([requestRow('a', 1, { costUsd: 3 }), requestRow('b', 2, { costUsd: 2 })], { listing: byCost })
  expect(gateway.listCalls('listRequests').at(-1)?.query).toEqual({ limit: '60', sort: 'cost' })
  arrive(requestRow('b', 2, { costUsd: 9 }), requestRow('c', 3, { costUsd: 5 }))
  expect(ids(log(byCost).records)).toEqual(['a', 'b'])
  expect(log(byCost).records[1]?.costUsd).toBe(9)
  expect(ids(log(byCost).held)).toEqual(['c'])
  // Scrolling to the beginning does not add them, as their place is not known.
  holdRequests(byCost, true)
  holdRequests(byCost, false)
  expect(ids(log(byCost).held)).toEqual(['c'])
  showHeldRequests(byCost)
  await vi.waitFor(() => expect(gateway.listCalls('listRequests')).toHaveLength(2))
})

test('a request that moved to the next page of another order is listed once', async () => {
  await read([requestRow('a', 1), requestRow('b', 2)], { listing: byCost, nextCursor: 'more' })
  gateway.on('listRequests', () => ({ data: [requestRow('b', 2), requestRow('c', 3)], nextCursor: null }))
  await loadOlderRequests(byCost)
  expect(ids(log(byCost).records)).toEqual(['a', 'b', 'c'])
})
