import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RequestTotals } from '../../shared/api/request-queries.ts'
import { api } from './api.ts'
import { onEventsApplied } from './live-queries.ts'
import { readTimeZone } from './queries.ts'
import { refresh, volatileQuery } from './query-client.ts'
import { filterToQuery, filterToSearch, type RequestFilter } from './request-filter.ts'
import { throttle } from './throttle.ts'

/** Adding up a long log takes a while, so not every request leads to it. */
const PAUSE_MS = 1000

function requestTotals(filter: RequestFilter) {
  return {
    ...volatileQuery(['request-totals', filterToSearch(filter)], async () =>
      api('getRequestTotals', { query: filterToQuery(filter, await readTimeZone()) }),
    ),
    gcTime: 0,
  }
}

/** The totals of all requests that match a filter, current within a second or two. Undefined until they have been read. */
export function useRequestTotals(filter: RequestFilter): {
  totals: RequestTotals | undefined
  stale: boolean
} {
  const { data, isPlaceholderData } = useQuery({
    ...requestTotals(filter),
    placeholderData: keepPreviousData,
  })
  useEffect(() => {
    const reading = throttle(() => refresh(requestTotals(filter)), PAUSE_MS)
    const stop = onEventsApplied((events) => {
      if (events.some(({ type }) => type === 'request')) reading.run()
    })
    return () => {
      stop()
      reading.cancel()
    }
  }, [filter])
  return { totals: data, stale: isPlaceholderData }
}
