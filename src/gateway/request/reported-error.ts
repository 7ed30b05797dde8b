import type { ErrorBody } from '../../shared/errors.ts'
import type { UpstreamFailure } from '../formats/upstream-failure.ts'
import { toClientError } from '../upstream/client-error.ts'
import { ClientDisconnected, RequestAborted, RequestStopped } from './in-flight.ts'
import type { Outcome } from './ledger-rows.ts'

export interface ReportedError {
  status: number
  error: ErrorBody
  retryAfterSeconds?: number | undefined
  headers?: Readonly<Record<string, string>>
}

/** What the client gets: our own reason when the gateway aborted the request, else what the upstream's failure means. */
export function reportError(failure: UpstreamFailure, signal: AbortSignal): ReportedError {
  const { reason } = signal
  if (reason instanceof RequestAborted)
    return { status: reason.status, error: reason.body, headers: reason.headers }
  const { status, retryAfterSeconds, ...error } = toClientError(failure)
  return { status, error, retryAfterSeconds }
}

export function statusOf(failure: UpstreamFailure | null, signal: AbortSignal): Outcome['status'] {
  if (!failure) return 'succeeded'
  const { reason } = signal
  return reason instanceof ClientDisconnected || reason instanceof RequestStopped ? 'canceled' : 'failed'
}
