// Requests that are running, with what has come of them.
import { useQuery } from '@tanstack/react-query'
import type { RequestRecord, RunningRequest } from '../../shared/api/requests.ts'
import { hasSamplePrices } from '../../shared/api/terms.ts'
import { api } from './api.ts'
import { applyResponse } from './live-queries.ts'
import { refreshShown, volatileQuery } from './query-client.ts'

const TICK_MS = 1_000

const running = volatileQuery(['running'], async () => (await api('listRunningRequests')).data)
const none: readonly RunningRequest[] = []

/** The oldest first. While some are running, they are read every second. */
export function useRunning(): readonly RunningRequest[] {
  const { data = none } = useQuery({
    ...running,
    refetchInterval: ({ state }) => (state.data?.length ? TICK_MS : false),
  })
  return data
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
