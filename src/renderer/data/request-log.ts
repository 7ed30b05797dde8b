// The pages of the request log read so far with one filter and order, and the requests that have arrived since.
import type { QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { toApiError } from '../kit/api-error.ts'
import { api } from './api.ts'
import { liveQuery, onEventsApplied, readFirst, readWithEvents } from './live-queries.ts'
import {
  appendPage,
  emptyLog,
  indexOfRequest,
  insertRequest,
  type RequestLog,
  receiveAll,
  receiveNewest,
  receiveRequest,
} from './log-rows.ts'
import { knownTimeZone, readTimeZone } from './queries.ts'
import { queryClient, refresh } from './query-client.ts'
import { filterToSearch } from './request-filter.ts'
import {
  isNewestFirst,
  listingFromSearch,
  listingToQuery,
  listingToSearch,
  newestFirst,
  type RequestListing,
  wholeLog,
} from './request-listing.ts'
import { throttle } from './throttle.ts'

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
const PAUSE_MS = 250

const following = throttle(readNewest, PAUSE_MS)

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
