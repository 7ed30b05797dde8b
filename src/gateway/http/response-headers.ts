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
  const encoded: Record<string, string> = {}
  for (const name of Object.keys(headers)) encoded[name] = encodeHeader(headers[name] ?? '')
  return encoded
}

function encodeHeader(value: string): string {
  return INVISIBLE.test(value) ? value.toWellFormed().replace(ALL_INVISIBLE, encodeURIComponent) : value
}

const INVISIBLE = /[^\x20-\x24\x26-\x7e]/
const ALL_INVISIBLE = /[^\x20-\x24\x26-\x7e]+/g
