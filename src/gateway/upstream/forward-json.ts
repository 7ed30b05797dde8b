import type { EncodedRequest } from '../formats/chat/codec-types.ts'
import { malformedAnswer } from '../formats/chat/failure.ts'
import type { Target } from '../formats/chat/target.ts'
import type { TraceHeaders } from '../platform/trace-context.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { readJson } from './read-json.ts'
import { redactFailure, secretsOf } from './redact.ts'
import { Watchdog } from './watchdog.ts'

/** The largest answer: a few numbers. */
const MAX_BYTES = 65_536

export interface ForwardCall {
  target: Target
  encoded: EncodedRequest
  credential: string | null
  signal: AbortSignal
  /** The headers of the trace that the call belongs to, if there is one. */
  trace?: TraceHeaders | undefined
}

/** `UpstreamAdapter.forward` over HTTP. */
export async function forwardJson(
  { target, encoded, credential, signal, trace }: ForwardCall,
  pool: UpstreamPool,
): Promise<unknown> {
  const watchdog = new Watchdog(signal, target.totalTimeoutMs, Infinity, pool.clock)
  const request = {
    method: 'POST' as const,
    url: target.baseUrl + encoded.path,
    headers: { ...encoded.headers, ...trace },
    body: encoded.body,
  }
  try {
    const value = await readJson(request, MAX_BYTES, { endpoint: target, credential, pool, watchdog })
    if (value !== undefined) return value
    throw malformedAnswer('The answer is not JSON.')
  } catch (error) {
    throw redactFailure(toUpstreamFailure(error, watchdog), secretsOf(target, credential))
  } finally {
    watchdog.dispose()
  }
}
