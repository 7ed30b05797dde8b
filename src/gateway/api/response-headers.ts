// Owns what the headers of every answer have in common, and how a value becomes one that a header can hold.
import type { ServerResponse } from 'node:http'
import { requestIdHeaders } from '../platform/ids.ts'

type Headers = Readonly<Record<string, string>>

/** Answers are about money and may hold secrets: nobody keeps a copy, and nobody guesses at their type. */
export function commonHeaders(requestId: string): Headers {
  return { ...requestIdHeaders(requestId), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

/**
 * Values that Node accepts and every client reads alike. What is not visible ASCII (a model's id may be anything) is
 * percent-encoded as UTF-8, and so is "%" itself: decodeURIComponent gives the value back.
 */
export function safeHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value)]))
}

function headerValue(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)
}

/** Drops what was set for an answer that is not to be, and keeps what the origin of the request was promised. */
export function clearHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) {
    if (name !== 'vary' && !name.startsWith('access-control-')) response.removeHeader(name)
  }
}
