import type { ErrorType } from '../../shared/api/errors.ts'
import type { UpstreamFailure } from '../formats/chat/failure.ts'

export interface ClientError {
  status: number
  type: ErrorType
  message: string
  code?: string
  param?: string
  /** Whole seconds for a `Retry-After` header. */
  retryAfterSeconds?: number
}

/** Statuses by which an upstream rejects the request itself. */
const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([400, 404, 413, 422])
const ABOUT_THE_CREDENTIAL: ReadonlySet<number> = new Set([401, 402, 403])
/** The client's status for one of the upstream; 502 for all others. */
const STATUSES: Readonly<Record<number, number>> = { 408: 408, 429: 503, 503: 503, 504: 504, 529: 503 }

/** The code of a failure to read credentials now (a locked keychain); they need not be wrong. */
export const CREDENTIALS_UNAVAILABLE = 'credentials_unavailable'

function upstreamError(failure: UpstreamFailure, status: number, code = failure.code): ClientError {
  const { message, retryAfterMs } = failure
  const answer: ClientError = { status, type: 'upstream_error', message }
  if (code !== null) answer.code = code
  if (retryAfterMs !== null && (status === 503 || status === 429)) {
    answer.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  }
  return answer
}

function statusError(failure: UpstreamFailure): ClientError {
  const { status, message, code, param } = failure
  if (status !== null && ABOUT_THE_REQUEST.has(status)) {
    const answer: ClientError = { status: 400, type: 'invalid_request_error', message }
    if (code !== null) answer.code = code
    if (param !== null) answer.param = param
    return answer
  }
  if (status !== null && ABOUT_THE_CREDENTIAL.has(status))
    return upstreamError(failure, 502, 'upstream_credential')
  return upstreamError(failure, STATUSES[status ?? 0] ?? 502)
}

/** The client's error for the failure that ended its request, before the first byte or inside a stream. */
export function toClientError(failure: UpstreamFailure): ClientError {
  switch (failure.kind) {
    case 'timeout':
      return upstreamError(failure, 408)
    case 'network':
    case 'malformed':
      return upstreamError(failure, 502)
    case 'status':
      return statusError(failure)
    case 'credential':
      return failure.code === CREDENTIALS_UNAVAILABLE
        ? upstreamError(failure, 503)
        : upstreamError(failure, 502, 'upstream_credential')
    case 'aborted':
      return upstreamError(failure, 503)
  }
}
