// Owns the one description of everything that can go wrong upstream. What a client is told is decided in `answers.ts`.
import type { ReportedUsage } from './token-usage.ts'

/** The code of a failure that is made here: the request cannot be said in the target's format. */
export const NOT_SUPPORTED = 'not_supported_by_provider'

export type FailureKind =
  /** Nothing came in time: connect, first byte or stall. */
  | 'timeout'
  /** The connection failed or broke. */
  | 'network'
  /** The upstream answered with an HTTP error status, or an error object inside a 200. */
  | 'status'
  /** The answer is not of its format, or a stream ended without its end mark. */
  | 'malformed'
  /** The credential is missing, locked away or refused. */
  | 'credential'
  /** We ended it: the client left, the key was revoked, or the gateway shuts down. */
  | 'aborted'

export interface FailureDetail {
  kind: FailureKind
  /** Redacted: no credential, header or internal URL. */
  message: string
  /** The upstream's HTTP status; null when none came. */
  status?: number | null
  code?: string | null
  param?: string | null
  retryAfterMs?: number | null
  /** Whether the request may have reached the provider; true unless it is known that it has not. */
  sent?: boolean
  /** What the provider said it had counted before the answer broke off. */
  usage?: ReportedUsage | null
  /** Whether other calls for the same request had begun to be answered when this one failed. */
  begun?: boolean
}

/**
 * Whether the provider may have worked, and may bill it. What never reached it costs nothing, nor does what it refused
 * with an error status; nobody knows what became of a call that was not answered.
 */
export function mayBeBilled({ kind, sent, usage, begun }: UpstreamFailure): boolean {
  if (usage !== null || begun) return true
  switch (kind) {
    case 'status':
    case 'credential':
      return false
    case 'network':
    case 'timeout':
    case 'malformed':
    case 'aborted':
      return sent
  }
}

export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure'
  readonly kind: FailureKind
  readonly status: number | null
  readonly code: string | null
  readonly param: string | null
  readonly retryAfterMs: number | null
  readonly sent: boolean
  readonly usage: ReportedUsage | null
  readonly begun: boolean

  constructor(detail: FailureDetail) {
    super(detail.message)
    this.kind = detail.kind
    this.status = detail.status ?? null
    this.code = detail.code ?? null
    this.param = detail.param ?? null
    this.retryAfterMs = detail.retryAfterMs ?? null
    this.sent = detail.sent ?? true
    this.usage = detail.usage ?? null
    this.begun = detail.begun ?? false
  }
}

/** The answer does not follow its format. */
export function malformedAnswer(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message })
}

/** The failure, with what the provider said it had counted before; null leaves it as it is. */
export function withUsage(failure: UpstreamFailure, usage: ReportedUsage | null): UpstreamFailure {
  return usage === null ? failure : new UpstreamFailure({ ...failure, message: failure.message, usage })
}
