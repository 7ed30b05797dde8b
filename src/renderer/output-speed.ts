import type { RequestRecord } from '../shared/requests.ts'

/** Below this, the clock says more about the rate than the model does. */
const MIN_OUTPUT_MS = 5

/**
 * Output tokens per second of a request: while it streamed, or from its first attempt to its end if it did not stream. Null
 * when it is unknown.
 */
export function tokensPerSecond({
  stream,
  tokensOut,
  timings: { queueMs, firstByteMs, totalMs },
}: Pick<RequestRecord, 'stream' | 'tokensOut' | 'timings'>): number | null {
  if (totalMs === null || tokensOut === 0) return null
  const ms = totalMs - (queueMs ?? 0) - (stream ? (firstByteMs ?? 0) : 0)
  return ms < MIN_OUTPUT_MS ? null : (tokensOut / ms) * 1000
}
