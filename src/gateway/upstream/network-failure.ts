import { errors } from 'undici'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Watchdog } from './watchdog.ts'

const MESSAGES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ECONNREFUSED: 'The provider refused the connection.',
    ECONNRESET: 'The provider reset the connection.',
    EPIPE: 'The provider closed the connection.',
    UND_ERR_SOCKET: 'The provider closed the connection before its answer was complete.',
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The answer was shorter than announced.',
    ENOTFOUND: 'The name of the provider could not be resolved.',
    EAI_AGAIN: 'The name of the provider could not be resolved.',
    EHOSTUNREACH: 'The provider cannot be reached from this network.',
    ENETUNREACH: 'The network cannot be reached.',
  }),
)

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Happy-eyeballs connects fail as a group; undici wraps the socket's own error.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return MESSAGES.has(code) && code !== 'UND_ERR_SOCKET' ? code : codeOf(inner) || code
}

/**
 * The failure for anything that a call over the network throws: the watchdog's own when it ended the call. The message
 * is always ours, because an error's own message may hold addresses.
 */
export function toUpstreamFailure(error: unknown, watchdog: Watchdog): UpstreamFailure {
  if (watchdog.failure) return watchdog.failure
  if (error instanceof UpstreamFailure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new UpstreamFailure({
      kind: 'timeout',
      message: 'The provider did not accept a connection in time.',
    })
  }
  const isBadHttp = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError
  if (isBadHttp) {
    return new UpstreamFailure({ kind: 'malformed', message: 'The provider did not answer in proper HTTP.' })
  }
  if (/CERT|SELF_SIGNED|ISSUER|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new UpstreamFailure({
      kind: 'network',
      message: `The provider's TLS certificate or handshake was not accepted (${code}).`,
    })
  }
  const message = MESSAGES.get(code) ?? `The connection to the provider failed${code ? ` (${code})` : ''}.`
  return new UpstreamFailure({ kind: 'network', message })
}
