import { api } from '../../data/api.ts'
import { queries, refreshProviders } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'

/**
 * Sets the priorities so that the providers have this order, from 1: a new provider gets 100 from the gateway, and so comes
 * last. Throws ApiError.
 */
export async function orderProviders(ids: readonly string[]): Promise<void> {
  const rows = queryClient.getQueryData(queries.providers.queryKey) ?? []
  const priorityOf = new Map(rows.map(({ id, priority }) => [id, priority]))
  const changes = ids
    .map((id, index) => ({ id, priority: index + 1 }))
    .filter(({ id, priority }) => priorityOf.get(id) !== priority)
  try {
    await Promise.all(
      changes.map(({ id, priority }) => api('putProvider', { params: { id }, body: { priority } })),
    )
  } finally {
    await refreshProviders()
  }
}
