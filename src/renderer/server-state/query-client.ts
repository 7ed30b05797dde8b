import {
  type DataTag,
  isCancelledError,
  QueryClient,
  type QueryKey,
  type QueryMeta,
} from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/events.ts'
import { type ApiError, toApiError } from '../api-error.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
    queryMeta: {
      /** Changes the cached answer by live events; see `live-queries.ts`. */
      applyEvents?: (events: readonly LiveEvent[]) => void
    }
  }
}

/** What the gateway has answered. One for the page, as live events change it from outside of any component. */
export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // The gateway is on this computer: it can be reached whether or not there is a network.
      networkMode: 'always',
      retry: false,
      retryOnMount: false,
      // Live events keep the answers current.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
})

/** What `useQuery` reads, and under which key its data is cached. */
export interface Query<T> {
  queryKey: DataTag<QueryKey, T, ApiError>
  queryFn: () => Promise<T>
  meta?: QueryMeta
  staleTime?: number
  gcTime?: number
  retryOnMount?: boolean
}

/** Read once, then only when it is refreshed. Leaving a view does not abort the read. */
export function query<T>(queryKey: QueryKey, read: () => Promise<T>): Query<T> {
  return {
    queryKey: queryKey as DataTag<QueryKey, T, ApiError>,
    queryFn: () =>
      read().catch((thrown: unknown) => {
        throw toApiError(thrown)
      }),
  }
}

/** Read anew each time a view shows it; until then the view shows the last answer. */
export function volatileQuery<T>(queryKey: QueryKey, read: () => Promise<T>): Query<T> {
  return { ...query(queryKey, read), staleTime: 0, retryOnMount: true }
}

/**
 * Reads a query anew, whether or not a view shows it. An answer that is already on its way is discarded: it may be older
 * than what made the refresh necessary. Never rejects: a failure is in the query, beside the last answer.
 */
export async function refresh(query: Query<unknown>): Promise<void> {
  const { queryKey } = query
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) {
    await queryClient.cancelQueries({ queryKey, exact: true })
  }
  await fetchLatest(query)
}

/** Resolves when the newest read of a query has ended, also when it was started by a later refresh. */
async function fetchLatest(query: Query<unknown>): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...query, staleTime: 0 })
  } catch (thrown) {
    if (isCancelledError(thrown)) await fetchLatest(query)
  }
}

/** Takes the answer to a change for the newest state of a query; a read that is under way is older, and is discarded. */
export async function replace<T>({ queryKey }: Query<T>, data: T): Promise<void> {
  await queryClient.cancelQueries({ queryKey, exact: true })
  queryClient.setQueryData<T>(queryKey, () => data)
}

/** Reads those queries anew that a view shows. The others are read when they are shown again, or not at all. */
export async function refreshShown(queryKey: QueryKey): Promise<void> {
  await queryClient.cancelQueries({ queryKey, type: 'active' })
  await queryClient.invalidateQueries({ queryKey })
}
