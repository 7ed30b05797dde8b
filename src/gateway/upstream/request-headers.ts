import { wordSet } from '../../shared/values/text.ts'
import type { Endpoint, FormatCodec } from '../formats/chat/codec-types.ts'
import { unlessAborted } from '../platform/wait.ts'
import type { UnauthorizedRequest } from './authorization/method.ts'
import { authorizationMethods, fetchesToken } from './authorization/method-table.ts'
import type { UpstreamPool } from './connection-pool.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import type { Watchdog } from './watchdog.ts'

const USER_AGENT = 'Tollgate'

/** Headers that belong to the connection; a provider's configured headers cannot set them. */
const RESERVED = wordSet(`
  accept-encoding connection content-length expect host keep-alive te trailer transfer-encoding upgrade`)

export interface HeaderSource {
  codec: FormatCodec
  endpoint: Pick<Endpoint, 'headers' | 'authorization' | 'network'>
  credential: string | null
  pool: UpstreamPool
  watchdog: Watchdog
}

type Headers = Record<string, string>

/**
 * The headers of a call: those of the format and of the call (`request.headers`), the credential's, and those that the
 * provider's configuration adds; never the client's. Names are lower-cased, and a later one replaces an earlier one. A
 * promise only where a login is fetched first. Throws UpstreamFailure for a credential that cannot be used.
 */
export function requestHeaders(
  request: UnauthorizedRequest,
  { codec, endpoint, credential, pool, watchdog }: HeaderSource,
): Headers | Promise<Headers> {
  const fixedHeaders: Headers = { 'user-agent': USER_AGENT }
  add(fixedHeaders, codec.headers)
  add(fixedHeaders, request.headers)
  const authorize = authorizationMethods[endpoint.authorization ?? codec.authorization]
  const authorized = authorize(
    { ...request, headers: fixedHeaders, network: endpoint.network },
    credential,
    pool,
  )
  if (!(authorized instanceof Promise)) return complete(fixedHeaders, authorized, endpoint)
  // A login is fetched once for all calls that wait for it, so one that ends early does not end it.
  return unlessAborted(authorized, watchdog.signal).then((fetched) =>
    complete(fixedHeaders, fetched, endpoint),
  )
}

/**
 * Answers a 401: drops the token that was sent, if it was fetched, and sends the request once more if another one is issued.
 * Returns the response that counts. `send`: null for a request that cannot be sent again. Throws as `requestHeaders` and `send` do.
 */
export async function renewToken(
  rejected: UpstreamResponse,
  request: UnauthorizedRequest,
  sent: Headers,
  source: HeaderSource,
  send: ((headers: Headers) => Promise<UpstreamResponse>) | null,
): Promise<UpstreamResponse> {
  const { codec, endpoint, pool } = source
  const authorization = sent.authorization ?? ''
  if (!fetchesToken(endpoint.authorization ?? codec.authorization)) return rejected
  pool.tokenCaches.drop(authorization.replace(/^Bearer /, ''))
  if (!send) return rejected
  const headers = await requestHeaders(request, source)
  if (headers.authorization === authorization) return rejected
  rejected.drain()
  return await send(headers)
}

function complete(headers: Headers, authorization: Headers, endpoint: HeaderSource['endpoint']): Headers {
  add(headers, authorization)
  add(headers, endpoint.headers)
  headers['accept-encoding'] = 'identity'
  return headers
}

function add(headers: Headers, more: Readonly<Headers>): void {
  for (const name of Object.keys(more)) {
    const value = more[name]
    const lower = name.toLowerCase()
    if (value !== undefined && !RESERVED.has(lower)) headers[lower] = value
  }
}
