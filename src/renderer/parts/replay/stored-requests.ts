import { useQueries, useQuery } from '@tanstack/react-query'
import type { Repricing } from '../../../shared/api/repricing.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { volatileQuery } from '../../data/query-client.ts'
import type { RepricingFilter } from './use-repricing.ts'

/** The maximum number of requests in one replay. */
export const MAX_REPLAYED = 10
/** The number of recent requests among which those with stored prompts are offered. */
const LOOKED_AT = 200

const CHATS = /\/(chat\/completions|completions|messages|responses|replay)$|:(g|streamG)enerateContent$/

/** Whether a request can be sent again. */
export function isReplayable({ bodiesKept, endpoint }: RequestRecord): boolean {
  return bodiesKept && (endpoint === null || CHATS.test(endpoint))
}

/** The newest requests that can be replayed, and those that are chosen; newest first. */
export function useStoredRequests(chosen: readonly string[], filter: RepricingFilter) {
  const recent = useQuery(
    volatileQuery(['replayable', filter], async () => {
      const { data } = await api('listRequests', {
        query: { ...filter, limit: LOOKED_AT, status: 'succeeded' },
      })
      // Requests of a replay repeat what was stored before.
      return data.filter((record) => isReplayable(record) && !record.endpoint?.endsWith('/replay'))
    }),
  )
  const named = useQueries({
    queries: chosen.map((id) => volatileQuery(['request', id], () => api('getRequest', { params: { id } }))),
  })
  const found = named.flatMap(({ data }) => (data ? [data] : []))
  const others = recent.data?.filter(({ id }) => !chosen.includes(id)) ?? []
  return {
    error: recent.error,
    isPending: recent.isPending || named.some(({ isPending }) => isPending),
    refetch: () => void recent.refetch(),
    records: [...found, ...others].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
  }
}

/** The cost of each request with each model. */
export function useReplayCosts(requests: readonly string[]): readonly (Repricing | undefined)[] {
  return useQueries({
    queries: requests.map((id) =>
      volatileQuery(['repricing', id], () => api('getRepricing', { query: { request: id } })),
    ),
  }).map(({ data }) => data)
}
