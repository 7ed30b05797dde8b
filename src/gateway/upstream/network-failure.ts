import { errors } from 'undici'
import { type FailureReason, UpstreamFailure } from '../formats/chat/failure.ts'
import { isUnknownAuthority } from './network/proxy-failure.ts'
import type { Watchdog } from './watchdog.ts'

const FAILURES: ReadonlyMap<string, [reason: FailureReason, message: string]> = new Map([
  ['ECONNREFUSED', ['refused', 'The provider refused the connection.']],
  ['ECONNRESET', ['closed', 'The provider reset the connection.']],
  ['EPIPE', ['closed', 'The provider closed the connection.']],
  ['UND_ERR_SOCKET', ['closed', 'The provider closed the connection before its answer was complete.']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['closed', 'The answer was shorter than announced.']],
  [
    'ENOTFOUND',
    [
      'unresolved',
      "The host of the provider was not found. Check its address and this computer's connection.",
    ],
  ],
  [
    'EAI_AGAIN',
    [
      'unresolved',
      "The host of the provider was not found. Check its address and this computer's connection.",
    ],
  ],
  ['EHOSTUNREACH', ['unreachable', 'The provider cannot be reached from this network.']],
  ['ENETUNREACH', ['unreachable', 'The network cannot be reached.']],
])

/** Codes of OpenSSL for an answer that does not begin as TLS does, such as one in plain HTTP. */
const NOT_TLS = /WRONG_VERSION|PACKET_LENGTH|UNSUPPORTED_PROTOCOL|EPROTO/

function findCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Happy-eyeballs connects fail as a group; undici wraps the socket's own error.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return FAILURES.has(code) && code !== 'UND_ERR_SOCKET' ? code : findCode(inner) || code
}

/**
 * The failure for anything that a call over the network throws: the watchdog's own when it ended the call. The message
 * is always ours, because an error's own message may hold addresses.
 */
export function toUpstreamFailure(error: unknown, watchdog: Watchdog): UpstreamFailure {
  if (watchdog.failure) return watchdog.failure
  if (error instanceof UpstreamFailure) return error
  const code = findCode(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new UpstreamFailure({
      kind: 'timeout',
      message: 'The provider did not accept a connection in time.',
    })
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    const message = 'The provider did not answer in proper HTTP.'
    return new UpstreamFailure({ kind: 'malformed', reason: 'not-http', message })
  }
  if (isUnknownAuthority(code)) {
    return new UpstreamFailure({
      kind: 'network',
      reason: 'certificate',
      message: `The provider's TLS certificate is from an unknown authority (${code}). In a company's network, use this computer's proxy and certificates: Settings → Network.`,
    })
  }
  if (/CERT|SELF_SIGNED|ISSUER|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new UpstreamFailure({
      kind: 'network',
      reason: NOT_TLS.test(code) ? 'not-tls' : 'certificate',
      message: `The provider's TLS certificate or handshake was not accepted (${code}).`,
    })
  }
  const [reason = null, known] = FAILURES.get(code) ?? []
  const message = known ?? `The connection to the provider failed${code ? ` (${code})` : ''}.`
  return new UpstreamFailure({ kind: 'network', reason, message })
}
