// One HTTP exchange with an upstream, in any API format.
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { unlessAborted } from '../platform/unless-aborted.ts'
import { SentMark, type UpstreamPool } from './connection-pool.ts'
import type { Watchdog } from './watchdog.ts'

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body: string | Buffer | null
  connectTimeoutMs: number
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

/**
 * Sends the request and waits for the status and headers. Never follows a redirect. Throws undici's errors.
 * `mark` records, however it ends, whether the request was written to a connection.
 */
export async function sendRequest(
  request: HttpRequest,
  pool: UpstreamPool,
  watchdog: Watchdog,
  mark: SentMark = new SentMark(),
): Promise<HttpResponse> {
  const { origin, pathname, search } = new URL(request.url)
  const response = pool.to(origin, request.connectTimeoutMs).request({
    method: request.method,
    path: pathname + search,
    headers: request.headers,
    body: request.body,
    signal: watchdog.signal,
    opaque: mark,
  })
  // undici heeds a signal only once the request has a connection.
  const { statusCode, headers, body } = await unlessAborted(response, watchdog.signal, (late) =>
    late.body.on('error', () => {}).destroy(),
  )
  // An abort while the body is not being read would otherwise be an unhandled error event.
  body.on('error', () => {})
  return { status: statusCode, headers, body }
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299
}

/** The complete body as text; more than `limit` bytes is an UpstreamFailure. Every chunk counts as progress. */
export async function readText(body: Readable, limit: number, watchdog: Watchdog): Promise<string> {
  const all = await readBytes(body, limit, watchdog)
  if (!isUtf8(all)) throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not UTF-8 text.' })
  return all.toString('utf8').replace(/^\uFEFF/, '')
}

/** The complete body; more than `limit` bytes is an UpstreamFailure. Every chunk counts as progress. */
export async function readBytes(body: Readable, limit: number, watchdog: Watchdog): Promise<Buffer> {
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
  return Buffer.concat(parts)
}

/** The body of an error response, cut at `limit` bytes. Of an interrupted body, what came before. */
export async function readErrorText(body: Readable, limit: number, watchdog: Watchdog): Promise<string> {
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
