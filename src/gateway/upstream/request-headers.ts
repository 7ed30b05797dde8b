import type { FormatCodec } from '../formats/codec.ts'
import type { Endpoint } from '../formats/target.ts'
import { unlessAborted } from '../platform/unless-aborted.ts'
import type { UnauthorizedRequest } from './authorization/method.ts'
import { authorizationMethods } from './authorization/methods.ts'
import type { UpstreamPool } from './connection-pool.ts'

const USER_AGENT = 'Tollgate'

/** Headers that belong to the connection; a provider's configured headers cannot set them. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Headers = Readonly<Record<string, string>>

export interface HeaderSource {
  codec: FormatCodec
  endpoint: Pick<Endpoint, 'headers' | 'authorization'>
  credential: string | null
  pool: UpstreamPool
  signal: AbortSignal
}

/**
 * The headers of a call: those of the format and of the call (`request.headers`), the credential's, and those that the
 * provider's configuration adds; never the client's. Names are lower-cased, and a later one replaces an earlier one. Throws
 * UpstreamFailure for a credential that cannot be used.
 */
export async function requestHeaders(
  request: UnauthorizedRequest,
  { codec, endpoint, credential, pool, signal }: HeaderSource,
): Promise<Record<string, string>> {
  const own = merge([{ 'user-agent': USER_AGENT }, codec.headers, request.headers])
  const authorize = authorizationMethods[endpoint.authorization ?? codec.authorization]
  // A login is fetched once for all calls that wait for it, so one that ends early does not end it.
  const authorized = Promise.resolve(authorize({ ...request, headers: own }, credential, pool))
  const authorization = await unlessAborted(authorized, signal)
  const merged = merge([own, authorization, endpoint.headers])
  merged['accept-encoding'] = 'identity'
  return merged
}

function merge(all: readonly Headers[]): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const [name, value] of all.flatMap((headers) => Object.entries<string>(headers))) {
    if (!RESERVED.has(name.toLowerCase())) merged[name.toLowerCase()] = value
  }
  return merged
}
