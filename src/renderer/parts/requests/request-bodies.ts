import { useQuery } from '@tanstack/react-query'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { volatileQuery } from '../../data/query-client.ts'

/** The stored prompt and answer of a request, read when a tab shows them. */
export function useRequestBodies({ id, bodiesKept }: RequestRecord, enabled = true) {
  return useQuery({
    ...volatileQuery(['request-bodies', id], () => api('getRequestBodies', { params: { id } })),
    // They never change, and may be large: none stays in memory for long.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    enabled: enabled && bodiesKept,
  })
}
