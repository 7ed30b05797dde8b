// The newest request of a key. Connect waits for it.
import type { RequestRecord } from '../../shared/api/requests.ts'
import { api } from './api.ts'
import { type Query, query, queryClient } from './query-client.ts'

const createQueryKey = (keyId: string) => ['latest-request', keyId] as const

/**
 * The newest request of a key since the window opened, or the rejected one with which it was last used before; null for
 * none. `lastUsedAt`: when the key was last used, null for never.
 */
export function latestRequest(keyId: string, lastUsedAt: string | null): Query<RequestRecord | null> {
  const arrived = () => queryClient.getQueryData<RequestRecord | null>(createQueryKey(keyId)) ?? null
  return query(createQueryKey(keyId), async () => {
    if (lastUsedAt === null || arrived()) return arrived()
    const rejected = await findRejected(keyId, lastUsedAt)
    return arrived() ?? rejected
  })
}

/** Records the requests that arrived. */
export function updateLatestRequests(requests: readonly RequestRecord[]): void {
  const latest = new Map<string, RequestRecord>()
  for (const request of requests) {
    const { keyId } = request
    const before = latest.get(keyId) ?? queryClient.getQueryData<RequestRecord | null>(createQueryKey(keyId))
    if (!before || before.id === request.id || lastCallAt(request) >= lastCallAt(before)) {
      latest.set(keyId, request)
    }
  }
  for (const [keyId, request] of latest) queryClient.setQueryData(createQueryKey(keyId), request)
}

async function findRejected(key: string, lastUsedAt: string): Promise<RequestRecord | null> {
  const { data } = await api('listRequests', { query: { key, status: 'rejected', limit: 1 } })
  const [last] = data
  return last && lastCallAt(last) >= lastUsedAt ? last : null
}

/** When the last call of a row was made. The counts of rows are sent late, possibly after newer requests. */
function lastCallAt({ createdAt, lastAt }: RequestRecord): string {
  return lastAt ?? createdAt
}
