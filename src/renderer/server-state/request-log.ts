// The pages of the request log read so far with one filter, and the requests that have arrived since.
import type { QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/events.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { type ApiError, toApiError } from '../api-error.ts'
import { liveQuery, readWithEvents } from './live-queries.ts'
import { knownTimeZone, readTimeZone } from './queries.ts'
import { queryClient } from './query-client.ts'
import { filterToQuery, filterToSearch, passesFilter, type RequestFilter } from './request-filter.ts'
import { indexOfRequest, insertRequest, isOlderThanAll, removeRequest } from './request-order.ts'

/** The first page fills the tallest screen; the others are large enough for fast scrolling. */
const FIRST_PAGE = 60
const PAGE = 100

export interface RequestLog {
  /** Newest first. */
  records: readonly RequestRecord[]
  /** Arrived while the user was further down the list; shown on demand, so that the list does not move. */
  held: readonly RequestRecord[]
  holding: boolean
  nextCursor: string | null
  loadingOlder: boolean
  /** Why older requests could not be loaded. They are not requested again until the user retries. */
  olderError: ApiError | null
}

const emptyLog: RequestLog = {
  records: [],
  held: [],
  holding: false,
  nextCursor: null,
  loadingOlder: false,
  olderError: null,
}

function createQueryKey(filter: RequestFilter): QueryKey {
  const search = filterToSearch(filter)
  return search === '' ? ['requests'] : ['matching-requests', search]
}

export function requestLog(filter: RequestFilter) {
  const queryKey = createQueryKey(filter)
  const query = liveQuery<RequestLog>({
    queryKey,
    async read() {
      const page = await readPage(filter, { limit: FIRST_PAGE })
      return { ...emptyLog, records: page.data, nextCursor: page.nextCursor }
    },
    apply: (log, events) => receiveAll(log, events, filter),
    // The list must not move while the user is further down, so new requests are held back.
    merge(response, before) {
      if (!before?.holding) return response
      const overlaps = response.records.some((record) => indexOfRequest(before.records, record) >= 0)
      if (!overlaps) return { ...response, holding: true }
      return response.records.toReversed().reduce((now, record) => receive(now, record, filter), before)
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

async function readPage(filter: RequestFilter, page: { limit: number; cursor?: string }) {
  const zone = filter.range === null ? knownTimeZone() : await readTimeZone()
  return api('listRequests', { query: { ...page, ...filterToQuery(filter, zone) } })
}

/** Reads the next page. Does nothing while one is being read, or at the end of the log. */
export async function loadOlderRequests(filter: RequestFilter): Promise<void> {
  const { nextCursor = null, loadingOlder = false } = cachedLog(filter) ?? {}
  if (nextCursor === null || loadingOlder) return
  change(filter, () => ({ loadingOlder: true, olderError: null }))
  try {
    const { response: page, since } = await readWithEvents(() =>
      readPage(filter, { limit: PAGE, cursor: nextCursor }),
    )
    change(filter, (log) => {
      // The list was refreshed while the page was read, and now ends at another request.
      if (log.nextCursor !== nextCursor) return { loadingOlder: false }
      const longer = { ...log, records: [...log.records, ...page.data], nextCursor: page.nextCursor }
      return { ...receiveAll(longer, since, filter), loadingOlder: false }
    })
  } catch (thrown) {
    change(filter, (log) => ({
      loadingOlder: false,
      olderError: log.nextCursor === nextCursor ? toApiError(thrown) : null,
    }))
  }
}

/** Holds requests that arrive, or adds the held ones to the list. */
export function holdRequests(filter: RequestFilter, holding: boolean): void {
  if (cachedLog(filter)?.holding === holding) return
  change(filter, ({ held, records }) =>
    holding ? { holding } : { holding, held: [], records: held.toReversed().reduce(insertRequest, records) },
  )
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
  const logs = [['requests'], ['matching-requests']].flatMap((queryKey) =>
    queryClient.getQueriesData<RequestLog>({ queryKey }),
  )
  for (const [, log] of logs) {
    const found = log?.records.find((one) => one.id === id) ?? log?.held.find((one) => one.id === id)
    if (found) return found
  }
  return undefined
}

function cachedLog(filter: RequestFilter): RequestLog | undefined {
  return queryClient.getQueryData<RequestLog>(createQueryKey(filter))
}

function change(filter: RequestFilter, part: (log: RequestLog) => Partial<RequestLog>): void {
  queryClient.setQueryData<RequestLog>(createQueryKey(filter), (log) => log && { ...log, ...part(log) })
}

function receiveAll(log: RequestLog, events: readonly LiveEvent[], filter: RequestFilter): RequestLog {
  return events.reduce(
    (now, event) => (event.type === 'request' ? receive(now, event.request, filter) : now),
    log,
  )
}

/** The log after a request arrived, or changed. */
function receive(log: RequestLog, record: RequestRecord, filter: RequestFilter): RequestLog {
  const { records, held, holding, nextCursor } = log
  const fits = passesFilter(filter, record, knownTimeZone())
  if (indexOfRequest(records, record) >= 0) {
    return { ...log, records: fits ? insertRequest(records, record) : removeRequest(records, record) }
  }
  if (!fits) {
    const others = removeRequest(held, record)
    return others === held ? log : { ...log, held: others }
  }
  // It is on a page that has not been read yet.
  if (nextCursor !== null && isOlderThanAll(records, record)) return log
  return holding
    ? { ...log, held: insertRequest(held, record) }
    : { ...log, records: insertRequest(records, record) }
}
