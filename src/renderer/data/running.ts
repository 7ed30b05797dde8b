// Requests that are running, with what has come of them.

import { useQuery } from '@tanstack/react-query'
import type { RequestRecord, RunningRequest } from '../../shared/api/requests.ts'
import { hasSamplePrices, sumBilled } from '../../shared/api/terms.ts'
import { api } from './api.ts'
import { applyResponse } from './live-queries.ts'
import { queries } from './queries.ts'
import { type Query, query, queryClient, refreshShown, volatileQuery } from './query-client.ts'

const TICK_MS = 1_000

const running = volatileQuery(['running'], () => api('listRunningRequests'))
const none: readonly RunningRequest[] = []

function useRunningQuery() {
  return useQuery({
    ...running,
    refetchInterval: ({ state }) => (state.data?.data.length ? TICK_MS : false),
  })
}

/** The oldest first. While some are running, they are read every second. */
export function useRunning(): readonly RunningRequest[] {
  return useRunningQuery().data?.data ?? none
}

/** The spend of today with what the running requests have cost so far; null until it is known. */
export function useTodaySpend(): number | null {
  const now = useRunningQuery()
  const account = useQuery(queries.account)
  // Two reads could lie before and after the end of a request: its cost would count twice, or not at all.
  if (now.data && (now.data.data.length > 0 || now.dataUpdatedAt > account.dataUpdatedAt))
    return now.data.todaySpendUsd + sumBilled(now.data.data)
  return account.data?.todaySpendUsd ?? null
}

/** To be called when a request begins or ends. */
export function refreshRunning(): Promise<void> {
  return refreshShown(running.queryKey)
}

/** The record with what has come of the request, as long as it is running. */
export function addProgress(record: RequestRecord, requests: readonly RunningRequest[]): RequestRecord {
  if (record.status !== 'running') return record
  const progress = requests.find(({ id }) => id === record.id)
  if (!progress) return record
  const { model, provider, tokensIn, tokensOut, costUsd, reservedUsd, elapsedMs } = progress
  const timings = { ...record.timings, totalMs: elapsedMs }
  const sample = hasSamplePrices(provider)
  return { ...record, model, provider, tokensIn, tokensOut, costUsd, sample, reservedUsd, timings }
}

/** Resolves to the record once what has come is charged. */
export async function stopRequest(id: string): Promise<RequestRecord> {
  const request = await api('stopRequest', { params: { id } })
  applyResponse({ type: 'request', request })
  return request
}

// The newest request of a key. Connect waits for it.

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
