// The pages of the request log read so far with one filter and order, and the requests that have arrived since.

import type { QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { RequestTotals } from '../../shared/api/request-queries.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { type ApiError, toApiError } from '../kit/api-error.ts'
import { api } from './api.ts'
import { liveQuery, onEventsApplied, readFirst, readWithEvents, useRereadQuery } from './live-queries.ts'
import { knownTimeZone, readTimeZone } from './queries.ts'
import { queryClient, refresh, throttle, volatileQuery } from './query-client.ts'
import {
  filterToQuery,
  filterToSearch,
  isNewestFirst,
  listingFromSearch,
  listingToQuery,
  listingToSearch,
  newestFirst,
  type RequestFilter,
  type RequestListing,
  wholeLog,
} from './request-filter.ts'

/** The first page fills the tallest screen; the others are large enough for fast scrolling. */
const FIRST_PAGE = 60
const PAGE = 100
const FILTERED = 'matching-requests'

function createQueryKey(listing: RequestListing): QueryKey {
  const search = listingToSearch(listing)
  return search === '' ? ['requests'] : [FILTERED, search]
}

export function requestLog(listing: RequestListing) {
  const queryKey = createQueryKey(listing)
  const query = liveQuery<RequestLog>({
    queryKey,
    async read() {
      const readAt = new Date().toISOString()
      const page = await readPage(listing, { limit: FIRST_PAGE })
      return {
        ...emptyLog,
        newestFirst: isNewestFirst(listing),
        readAt,
        records: page.data,
        nextCursor: page.nextCursor,
      }
    },
    apply: (log, events) => receiveAll(log, events, isFiltered(listing)),
    // The list must not move while the user is further down, so new requests are held back.
    merge(response, before) {
      if (!before?.holding || !before.newestFirst) return response
      const overlaps = response.records.some((record) => indexOfRequest(before.records, record) >= 0)
      if (!overlaps) return { ...response, holding: true }
      return response.records.toReversed().reduce((now, record) => receiveRequest(now, record), before)
    },
  })
  return {
    ...query,
    // Comparing long lists costs more than it saves.
    structuralSharing: false,
    // Only the unfiltered log stays current while no view shows it.
    ...(queryKey.length === 1 ? {} : { gcTime: 0 }),
  }
}

// So that the log has its first page when it is opened.
readFirst(() => void refresh(requestLog(wholeLog)))

// Only the gateway knows which requests pass a filter.

/** Between two reads of a list while requests arrive. */
const READ_PAUSE_MS = 250

const following = throttle(readNewest, READ_PAUSE_MS)

onEventsApplied((events) => {
  if (events.some(({ type }) => type === 'request')) following.run()
})

async function readNewest(): Promise<void> {
  const shown = queryClient.getQueryCache().findAll({ queryKey: [FILTERED] })
  await Promise.all(shown.map(({ queryKey }) => readListed(listingFromSearch(String(queryKey[1])))))
}

async function readListed(listing: RequestListing): Promise<void> {
  if (!isFiltered(listing) || !cachedLog(listing)) return
  const newest = newestFirst(listing.filter)
  const page = await readWithEvents(() => readPage(newest, { limit: FIRST_PAGE })).catch(() => null)
  // The next request leads to another try.
  if (page === null) return
  change(listing, (log) => receiveAll(receiveNewest(log, page.response), page.since, true))
}

function isFiltered({ filter }: RequestListing): boolean {
  return filterToSearch(filter) !== ''
}

async function readPage(listing: RequestListing, page: { limit: number; cursor?: string }) {
  const zone = listing.filter.range === null ? knownTimeZone() : await readTimeZone()
  return api('listRequests', { query: { ...page, ...listingToQuery(listing, zone) } })
}

/** Reads the next page. Does nothing while one is being read, or at the end of the log. */
export async function loadOlderRequests(listing: RequestListing): Promise<void> {
  const { nextCursor = null, loadingOlder = false } = cachedLog(listing) ?? {}
  if (nextCursor === null || loadingOlder) return
  change(listing, () => ({ loadingOlder: true, olderError: null }))
  try {
    const { response: page, since } = await readWithEvents(() =>
      readPage(listing, { limit: PAGE, cursor: nextCursor }),
    )
    change(listing, (log) => {
      // The list was refreshed while the page was read, and now ends at another request.
      if (log.nextCursor !== nextCursor) return { loadingOlder: false }
      return { ...receiveAll(appendPage(log, page), since, isFiltered(listing)), loadingOlder: false }
    })
  } catch (thrown) {
    change(listing, (log) => ({
      loadingOlder: false,
      olderError: log.nextCursor === nextCursor ? toApiError(thrown) : null,
    }))
  }
}

/** Holds requests that arrive, or adds the held ones to the list if their place in it is known. */
export function holdRequests(listing: RequestListing, holding: boolean): void {
  if (cachedLog(listing)?.holding === holding) return
  change(listing, ({ held, records, newestFirst }) =>
    holding || !newestFirst
      ? { holding }
      : { holding, held: [], records: held.toReversed().reduce(insertRequest, records) },
  )
}

/** Adds the held requests to the list, from its beginning. */
export function showHeldRequests(listing: RequestListing): void {
  holdRequests(listing, false)
  if (!isNewestFirst(listing)) void refresh(requestLog(listing))
}

/** One request, initially as it is in the log. */
export function openRequest(id: string) {
  return {
    ...liveQuery<RequestRecord>({
      queryKey: ['request', id],
      read: () => api('getRequest', { params: { id } }),
      apply: (record, events) => newestState(record, events),
    }),
    initialData: () => findListed(id),
    staleTime: 0,
    retryOnMount: true,
    gcTime: 0,
  }
}

function newestState(record: RequestRecord, events: readonly LiveEvent[]): RequestRecord {
  const requests = events.flatMap((event) => (event.type === 'request' ? [event.request] : []))
  return requests.findLast(({ id }) => id === record.id) ?? record
}

function findListed(id: string): RequestRecord | undefined {
  const logs = [['requests'], [FILTERED]].flatMap((queryKey) =>
    queryClient.getQueriesData<RequestLog>({ queryKey }),
  )
  for (const [, log] of logs) {
    const found = log?.records.find((one) => one.id === id) ?? log?.held.find((one) => one.id === id)
    if (found) return found
  }
  return undefined
}

function cachedLog(listing: RequestListing): RequestLog | undefined {
  return queryClient.getQueryData<RequestLog>(createQueryKey(listing))
}

function change(listing: RequestListing, part: (log: RequestLog) => Partial<RequestLog>): void {
  queryClient.setQueryData<RequestLog>(createQueryKey(listing), (log) => log && { ...log, ...part(log) })
}

// The rows of a request log that a view has, and how they change as requests arrive.

export interface RequestLog {
  records: readonly RequestRecord[]
  /** Arrived while the user was further down the list; shown on demand, so that the list does not move. Newest first. */
  held: readonly RequestRecord[]
  holding: boolean
  /** New requests have no known place in any other order, and are always held. */
  newestFirst: boolean
  /** When the list was read, in ISO 8601. */
  readAt: string
  nextCursor: string | null
  loadingOlder: boolean
  /** Why older requests could not be loaded. They are not requested again until the user retries. */
  olderError: ApiError | null
}

const emptyLog: RequestLog = {
  records: [],
  held: [],
  holding: false,
  newestFirst: true,
  readAt: '',
  nextCursor: null,
  loadingOlder: false,
  olderError: null,
}

interface RequestPage {
  data: readonly RequestRecord[]
  nextCursor: string | null
}

/** -1 when the request is not in the list. */
function findRow(
  { records, newestFirst }: Pick<RequestLog, 'records' | 'newestFirst'>,
  record: RequestRecord,
): number {
  return newestFirst ? indexOfRequest(records, record) : records.findIndex(({ id }) => id === record.id)
}

/** The log with a further page. In an order other than by time, a request may have moved to it from an earlier one. */
function appendPage(log: RequestLog, page: RequestPage): RequestLog {
  const listed = new Set(log.newestFirst ? [] : log.records.map(({ id }) => id))
  const added = page.data.filter(({ id }) => !listed.has(id))
  return { ...log, records: [...log.records, ...added], nextCursor: page.nextCursor }
}

/** The log after events. Whether a request that is not in it passes its filter, if it has one, is only known when it is read. */
function receiveAll(log: RequestLog, events: readonly LiveEvent[], isFiltered: boolean): RequestLog {
  return events.reduce((now, event) => {
    if (event.type !== 'request') return now
    const { request } = event
    const isKnown = findRow(now, request) >= 0 || indexOfRequest(now.held, request) >= 0
    return isKnown || !isFiltered ? receiveRequest(now, request) : now
  }, log)
}

/** The log after a request arrived, or changed. */
function receiveRequest(log: RequestLog, record: RequestRecord): RequestLog {
  const { records, held } = log
  const at = findRow(log, record)
  if (at >= 0) return { ...log, records: records.with(at, record) }
  if (isOnUnreadPage(log, record)) return log
  return log.holding || !log.newestFirst
    ? { ...log, held: insertRequest(held, record) }
    : { ...log, records: insertRequest(records, record) }
}

/** The log after the newest requests that pass its filter were read: others of their time no longer pass it. */
function receiveNewest(log: RequestLog, { data, nextCursor }: RequestPage): RequestLog {
  const passing = new Set(data.map(({ id }) => id))
  const oldest = nextCursor === null ? '' : (data.at(-1)?.createdAt ?? NEVER)
  const stays = ({ id, createdAt }: RequestRecord) => createdAt <= oldest || passing.has(id)
  const left = { ...log, records: log.records.filter(stays), held: log.held.filter(stays) }
  return data.toReversed().reduce(receiveRequest, left)
}

/** Later than all times in ISO 8601. */
const NEVER = 'never'

function isOnUnreadPage({ records, newestFirst, readAt, nextCursor }: RequestLog, record: RequestRecord) {
  if (nextCursor === null) return false
  return newestFirst ? isOlderThanAll(records, record) : record.createdAt < readAt
}

// The order of the request log: newest first, each request once. A list that was scrolled through for a while is long, so
// that finding a request is a binary search.

type OrderedRecord = Pick<RequestRecord, 'id' | 'createdAt'>

/** -1 when the request is not in the list. */
export function indexOfRequest(records: readonly OrderedRecord[], record: OrderedRecord): number {
  for (let at = firstNotNewerThan(records, record.createdAt); at < records.length; at++) {
    const other = records[at]
    if (other?.createdAt !== record.createdAt) break
    if (other.id === record.id) return at
  }
  return -1
}

/** The list with a request where its time puts it, or in place of its older state. */
export function insertRequest(records: readonly RequestRecord[], record: RequestRecord): RequestRecord[] {
  const at = indexOfRequest(records, record)
  if (at >= 0) return records.with(at, record)
  return records.toSpliced(firstNotNewerThan(records, record.createdAt), 0, record)
}

/** Whether a record is older than all that are there. */
export function isOlderThanAll(records: readonly OrderedRecord[], { createdAt }: OrderedRecord): boolean {
  const last = records.at(-1)
  return last !== undefined && createdAt < last.createdAt
}

/** The first index whose record is not newer than `createdAt`, or the length. They are ISO 8601 in UTC, so their texts sort by time. */
function firstNotNewerThan(records: readonly OrderedRecord[], createdAt: string): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((records[middle]?.createdAt ?? '') > createdAt) low = middle + 1
    else high = middle
  }
  return low
}

/** The totals of all requests that match a filter, current within a second or two. Undefined until they have been read. */
export function useRequestTotals(filter: RequestFilter): {
  totals: RequestTotals | undefined
  stale: boolean
} {
  const totals = volatileQuery(['request-totals', filterToSearch(filter)], async () =>
    api('getRequestTotals', { query: filterToQuery(filter, await readTimeZone()) }),
  )
  const { data, isPlaceholderData } = useRereadQuery({ ...totals, gcTime: 0 }, 'request')
  return { totals: data, stale: isPlaceholderData }
}

/** The name of a request in a list: its model, or its endpoint if no model is known. */
export function getRequestName({
  model,
  requestedModel,
  endpoint,
}: Pick<RequestRecord, 'model' | 'requestedModel' | 'endpoint'>): string {
  return model ?? requestedModel ?? endpoint ?? 'unknown'
}
