import type { RequestRecord } from '../../shared/api/requests.ts'

/**
 * Output tokens per second while the response was written: without the time before the first byte of a stream. Null when there
 * is nothing to divide.
 */
export function tokensPerSecond({
  status,
  stream,
  tokensOut,
  timings: { queueMs, firstByteMs, totalMs },
}: Pick<RequestRecord, 'status' | 'stream' | 'tokensOut' | 'timings'>): number | null {
  if (status === 'running' || totalMs === null || tokensOut === 0) return null
  const writingMs = totalMs - (queueMs ?? 0) - (stream ? (firstByteMs ?? 0) : 0)
  return writingMs <= 0 ? null : (tokensOut * 1000) / writingMs
}
