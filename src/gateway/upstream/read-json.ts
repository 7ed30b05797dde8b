import type { Endpoint } from '../formats/chat/target.ts'
import { codecFor } from '../formats/codecs.ts'
import { parseJson } from '../formats/json/json.ts'
import type { UnauthorizedRequest } from './authorization/method.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { readText, sendRequest } from './exchange.ts'
import { requestHeaders } from './request-headers.ts'
import { readStatusFailure } from './status-failure.ts'
import type { Watchdog } from './watchdog.ts'

interface JsonSource {
  endpoint: Pick<
    Endpoint,
    | 'apiFormat'
    | 'hosting'
    | 'headers'
    | 'authorization'
    | 'network'
    | 'connectTimeoutMs'
    | 'firstByteTimeoutMs'
    | 'stallTimeoutMs'
  >
  credential: string | null
  pool: UpstreamPool
  watchdog: Watchdog
}

/** Sends the request and reads the answer; undefined if it is not JSON. Throws for an error status and for a larger answer. */
export async function readJson(
  request: UnauthorizedRequest,
  maxBytes: number,
  { endpoint, credential, pool, watchdog }: JsonSource,
): Promise<unknown> {
  const codec = codecFor(endpoint)
  watchdog.expect('nothing', endpoint.firstByteTimeoutMs)
  const headers = await requestHeaders(request, { codec, endpoint, credential, pool, watchdog })
  const { connectTimeoutMs, network } = endpoint
  const response = await sendRequest({ ...request, headers, connectTimeoutMs, network }, pool, watchdog)
  try {
    if (!response.isSuccess) throw await readStatusFailure(response, codec, watchdog, pool.clock)
    watchdog.expect('no more of its answer', endpoint.stallTimeoutMs)
    return parseJson(await readText(response, maxBytes, watchdog))
  } catch (error) {
    response.destroy()
    throw error
  }
}
