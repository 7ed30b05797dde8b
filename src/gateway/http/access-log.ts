import type { Log } from '../platform/log.ts'
import { displayPath } from './endpoints.ts'
import type { Exchange } from './request-context.ts'

/** Logs a request when its response is closed: method, path without the query, status and duration. */
export function logWhenClosed({ id, method, url, response }: Exchange, log: Log): void {
  const began = performance.now()
  response.once('close', () =>
    log.debug('Request', {
      requestId: id,
      method,
      path: displayPath(url),
      status: response.statusCode,
      durationMs: Math.round(performance.now() - began),
    }),
  )
}
