// Requests that are running, with what has come of them.
import { useQuery } from '@tanstack/react-query'
import type { RequestRecord, RunningRequest } from '../../shared/api/requests.ts'
import { hasSamplePrices, sumBilled } from '../../shared/api/terms.ts'
import { api } from './api.ts'
import { applyResponse } from './live-queries.ts'
import { queries } from './queries.ts'
import { refreshShown, volatileQuery } from './query-client.ts'

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
