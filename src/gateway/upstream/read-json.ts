import { malformedAnswer } from '../formats/chat/failure.ts'
import { codecFor } from '../formats/codecs.ts'
import { parseJson } from '../formats/json/json.ts'
import type { ForwardCall, ModelSource } from './adapter.ts'
import type { UnauthorizedRequest } from './authorization/method.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { listSecrets, redactFailure } from './redact.ts'
import { renewToken, requestHeaders } from './request-headers.ts'
import { readStatusFailure, readText, sendRequest } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

interface JsonSource {
  endpoint: ModelSource
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
  const source = { codec, endpoint, credential, pool, watchdog }
  const headers = await requestHeaders(request, source)
  const { connectTimeoutMs, network } = endpoint
  const send = (headers: Record<string, string>) =>
    sendRequest({ ...request, headers, connectTimeoutMs, network }, pool, watchdog)
  let response = await send(headers)
  try {
    if (response.status === 401) response = await renewToken(response, request, headers, source, send)
    if (!response.isSuccess) throw await readStatusFailure(response, codec, watchdog, pool.clock)
    watchdog.expect('no more of its answer', endpoint.stallTimeoutMs)
    return parseJson(await readText(response, maxBytes, watchdog))
  } catch (error) {
    response.destroy()
    throw error
  }
}

/** The largest answer: a few numbers. */
const MAX_BYTES = 65_536

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
    throw redactFailure(toUpstreamFailure(error, watchdog), listSecrets(target, credential))
  } finally {
    watchdog.dispose()
  }
}
