// Owns one HTTP exchange with an upstream: what is sent, what is read, and the names of what breaks. Knows no format.
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { errors } from 'undici'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { unlessAborted } from '../platform/unless-aborted.ts'
import { SentMark, type UpstreamPool } from './connection-pool.ts'
import type { Watchdog } from './watchdog.ts'

export interface Call {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body: string | null
  connectTimeoutMs: number
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

/** The most a plain body may hold, decoded. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Headers that belong to the connection; a provider's configured headers cannot set them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
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

const NETWORK_WORDS: ReadonlyMap<string, string> = new Map(
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
  return NETWORK_WORDS.get(code) && code !== 'UND_ERR_SOCKET' ? code : codeOf(inner) || code
}

/** The failure that a thrown error stands for. In our own words: an error's message may hold addresses. */
export function failureOf(error: unknown, watchdog: Watchdog): UpstreamFailure {
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
  const words = NETWORK_WORDS.get(code) ?? `The connection to the provider failed${code ? ` (${code})` : ''}.`
  return new UpstreamFailure({ kind: 'network', message: words })
}

/** Lower-cased, later ones first come last: `own` can be extended and replaced by `configured`, the reserved cannot. */
export function mergeHeaders(
  own: Readonly<Record<string, string>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const [name, value] of [...Object.entries(own), ...Object.entries(configured)]) {
    if (!RESERVED_HEADERS.has(name.toLowerCase())) merged[name.toLowerCase()] = value
  }
  merged['accept-encoding'] = 'identity'
  return merged
}

/**
 * Sends the call and waits for the status and headers. Never follows a redirect. Throws whatever undici throws. `mark`
 * says, however it ends, whether the request was written to a connection.
 */
export async function send(
  call: Call,
  pool: UpstreamPool,
  watchdog: Watchdog,
  mark: SentMark = new SentMark(),
): Promise<Reply> {
  const { origin, pathname, search } = new URL(call.url)
  const response = pool.to(origin, call.connectTimeoutMs).request({
    method: call.method,
    path: pathname + search,
    headers: call.headers,
    body: call.body,
    signal: watchdog.signal,
    opaque: mark,
  })
  // undici heeds a signal only once the request has a connection.
  const { statusCode, headers, body } = await unlessAborted(response, watchdog.signal, (late) =>
    late.body.on('error', () => {}).destroy(),
  )
  // An abort while nobody reads would otherwise be an unhandled error event.
  body.on('error', () => {})
  return { status: statusCode, headers, body }
}

/** The whole body as text; at most `limit` bytes, else an UpstreamFailure. Every chunk counts as progress. */
export async function readText(body: Readable, limit: number, watchdog: Watchdog): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    const chunk: Buffer = part
    bytes += chunk.byteLength
    if (bytes > limit) {
      throw new UpstreamFailure({ kind: 'malformed', message: `The answer is over ${limit} bytes.` })
    }
    parts.push(chunk)
    watchdog.progress()
  }
  const whole = Buffer.concat(parts)
  if (!isUtf8(whole))
    throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not UTF-8 text.' })
  return whole.toString('utf8').replace(/^\uFEFF/, '')
}

/** What an error response says, cut off at `limit` bytes; a body that breaks off says what it said so far. */
export async function readSome(body: Readable, limit: number, watchdog: Watchdog): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of body) {
      const chunk: Buffer = part
      parts.push(chunk)
      bytes += chunk.byteLength
      watchdog.progress()
      if (bytes >= limit) break
    }
  } catch (error) {
    if (watchdog.failure?.kind === 'aborted') throw error
  }
  return Buffer.concat(parts).subarray(0, limit).toString('utf8')
}

/** The media type of a response, lower-cased and without parameters; '' when there is none. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
