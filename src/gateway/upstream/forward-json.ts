import { codecFor } from '../formats/codecs.ts'
import type { EncodedRequest } from '../formats/encoded-request.ts'
import { parseJson } from '../formats/json.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { isSuccess, readText, sendRequest } from './exchange.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { redactFailure, secretsOf } from './redact.ts'
import { requestHeaders } from './request-headers.ts'
import { readStatusFailure } from './status-failure.ts'
import { Watchdog } from './watchdog.ts'

/** The largest answer: a few numbers. */
const MAX_BYTES = 65_536

export interface ForwardCall {
  target: Target
  encoded: EncodedRequest
  credential: string | null
  signal: AbortSignal
}

/** `UpstreamAdapter.forward` over HTTP. */
export async function forwardJson(
  { target, encoded, credential, signal }: ForwardCall,
  pool: UpstreamPool,
): Promise<unknown> {
  const codec = codecFor(target)
  const watchdog = new Watchdog(signal, target.totalTimeoutMs)
  watchdog.expect('nothing', target.firstByteTimeoutMs)
  const unauthorized = {
    method: 'POST' as const,
    url: target.baseUrl + encoded.path,
    headers: encoded.headers,
    body: encoded.body,
  }
  try {
    const source = { codec, endpoint: target, credential, pool, signal: watchdog.signal }
    const headers = await requestHeaders(unauthorized, source)
    const { connectTimeoutMs } = target
    const response = await sendRequest({ ...unauthorized, headers, connectTimeoutMs }, pool, watchdog)
    try {
      if (!isSuccess(response)) throw await readStatusFailure(response, codec, watchdog)
      watchdog.expect('no more of its answer', target.stallTimeoutMs)
      const value = parseJson(await readText(response.body, MAX_BYTES, watchdog))
      if (value !== undefined) return value
      throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not JSON.' })
    } catch (error) {
      response.body.destroy()
      throw error
    }
  } catch (error) {
    throw redactFailure(toUpstreamFailure(error, watchdog), secretsOf(target, credential))
  } finally {
    watchdog.dispose()
  }
}
