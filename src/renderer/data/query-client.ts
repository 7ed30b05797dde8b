import {
  type DataTag,
  isCancelledError,
  QueryClient,
  type QueryKey,
  type QueryMeta,
} from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/api/events.ts'
import { type ApiError, toApiError } from '../kit/api-error.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
    queryMeta: {
      /** Updates the cached data with live events. See `live-queries.ts`. */
      applyEvents?: (events: readonly LiveEvent[]) => void
    }
  }
}

/** One for the page, as live events update its data outside of components. */
export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // The gateway is on this computer: it can be reached whether or not there is a network.
      networkMode: 'always',
      retry: false,
      retryOnMount: false,
      // Live events keep the data current.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
})

/** The options of `useQuery` that this window uses. */
export interface Query<T> {
  queryKey: DataTag<QueryKey, T, ApiError>
  queryFn: () => Promise<T>
  meta?: QueryMeta
  staleTime?: number
  gcTime?: number
  retryOnMount?: boolean
}

/** Read once, then only when it is refreshed. Leaving a view does not abort the request. */
export function query<T>(queryKey: QueryKey, read: () => Promise<T>): Query<T> {
  return {
    queryKey: queryKey as DataTag<QueryKey, T, ApiError>,
    queryFn: () =>
      read().catch((thrown: unknown) => {
        throw toApiError(thrown)
      }),
  }
}

/** Read again whenever a view shows it. The view shows the previous data until then. */
export function volatileQuery<T>(queryKey: QueryKey, read: () => Promise<T>): Query<T> {
  return { ...query(queryKey, read), staleTime: 0, retryOnMount: true }
}

/**
 * Reads a query again, whether or not a view shows it. Discards a response that is still pending, as it may be older than the
 * reason for the refresh. Never rejects: the query has the error, and keeps its previous data.
 */
export async function refresh(query: Query<unknown>): Promise<void> {
  const { queryKey } = query
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) {
    await queryClient.cancelQueries({ queryKey, exact: true })
  }
  await fetchLatest(query)
}

/** Resolves when the newest read of a query has ended, even if a later refresh started it. */
async function fetchLatest(query: Query<unknown>): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...query, staleTime: 0 })
  } catch (thrown) {
    if (isCancelledError(thrown)) await fetchLatest(query)
  }
}

/** Sets a query to the response of a mutation. Discards a pending read, which may be older. */
export async function replace<T>({ queryKey }: Query<T>, data: T): Promise<void> {
  await queryClient.cancelQueries({ queryKey, exact: true })
  queryClient.setQueryData<T>(queryKey, () => data)
}

/** Reads the queries again that a view shows, and marks the others to be read when a view shows them. */
export async function refreshShown(queryKey: QueryKey): Promise<void> {
  await queryClient.cancelQueries({ queryKey, type: 'active' })
  await queryClient.invalidateQueries({ queryKey })
}

/**
 * Runs a task `pauseMs` after it is first requested, and never concurrently. Requests while it runs lead to one more run.
 */
export function throttle(task: () => Promise<void>, pauseMs: number): { run(): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let again = false
  const start = async () => {
    timer = undefined
    running = true
    await task()
    running = false
    if (!again) return
    again = false
    run()
  }
  const run = () => {
    if (running) again = true
    else timer ??= setTimeout(() => void start(), pauseMs)
  }
  return {
    run,
    cancel() {
      clearTimeout(timer)
      timer = undefined
      again = false
    },
  }
}
