import type { ServerResponse } from 'node:http'
import { requestIdHeaders } from '../platform/ids.ts'

type Headers = Readonly<Record<string, string>>

/** The headers of every response. Responses may contain secrets, so they must not be cached or sniffed. */
export function commonHeaders(requestId: string): Headers {
  return { ...requestIdHeaders(requestId), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

/**
 * Percent-encodes everything that is not visible ASCII (a model id may contain any character), and "%" itself, as UTF-8.
 * decodeURIComponent restores the value.
 */
export function encodeHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, encodeHeader(value)]))
}

function encodeHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)
}

/** Removes the headers of a response that is replaced by an error, except those for CORS. */
export function clearHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) {
    if (name !== 'vary' && !name.startsWith('access-control-')) response.removeHeader(name)
  }
}
