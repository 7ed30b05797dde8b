import type { ErrorBody } from '../../shared/errors.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { GatewayError, invalidRequest, serverError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { toClientError } from '../upstream/client-error.ts'
import { commonHeaders } from './response-headers.ts'

/** Temporary failures of the store: nothing was changed, and the same request can succeed later. */
const UNAVAILABLE: Readonly<Partial<Record<StoreErrorCode, () => GatewayError>>> = {
  full: () =>
    serverError(
      'The disk is full: nothing was changed. Free some space and try again.',
      503,
      'ledger_unavailable',
    ),
  locked: () =>
    serverError(
      'Another program is using the database of Tollgate: nothing was changed. Close it and try again.',
      503,
      'ledger_unavailable',
    ),
  closed: () => serverError('Tollgate is shutting down. Try again when it is back.', 503, 'shutting_down'),
}

/**
 * The error response for a thrown value. An unexpected error is logged, and the response contains none of its details;
 * `log` should add the request id.
 */
export function toGatewayError(thrown: unknown, log: Log): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  // The client can no longer read this response.
  if (thrown instanceof ClientDisconnected)
    return invalidRequest('The client disconnected before the request was complete.')
  if (thrown instanceof UpstreamFailure) return new GatewayError(toClientError(thrown))
  if (thrown instanceof StoreError) {
    const unavailable = UNAVAILABLE[thrown.code]
    if (unavailable) return unavailable()
  }
  log.error('Unexpected error', { err: thrown })
  return serverError('Something went wrong inside Tollgate. The log has the details under this request id.')
}

/** The bytes of an error response, for connections without a parsed request. */
export function formatRawErrorResponse(
  status: number,
  statusText: string,
  error: ErrorBody,
  requestId: string,
): string {
  const body = JSON.stringify({ error })
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${statusText}`, ...lines, '', body].join('\r\n')
}
