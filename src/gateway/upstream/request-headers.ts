import type { FormatCodec } from '../formats/codec.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'

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

/**
 * The headers of a call: those of the format and of the call, the credential's, and those that the provider's
 * configuration adds; never the client's. Names are lower-cased, and a later one replaces an earlier one. Throws
 * UpstreamFailure for a credential that no header can hold.
 */
export function requestHeaders(
  codec: FormatCodec,
  { headers: configured }: { headers: Headers },
  credential: string | null,
  own: Headers,
): Record<string, string> {
  if (credential !== null && !/^[\x20-\x7e]+$/.test(credential)) {
    throw new UpstreamFailure({
      kind: 'credential',
      message: 'The credential holds characters that cannot be sent.',
    })
  }
  const authorization = credential === null ? {} : codec.authorization(credential)
  const all = [{ 'user-agent': USER_AGENT }, codec.headers, own, authorization, configured]
  const merged: Record<string, string> = {}
  for (const [name, value] of all.flatMap((headers) => Object.entries<string>(headers))) {
    if (!RESERVED.has(name.toLowerCase())) merged[name.toLowerCase()] = value
  }
  merged['accept-encoding'] = 'identity'
  return merged
}
