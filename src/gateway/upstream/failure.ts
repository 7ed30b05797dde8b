// Owns the one description of everything that can go wrong upstream. What a client is told is decided in `answers.ts`.

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
}

/** Whether the provider may have worked, and may bill it: nobody knows what became of a call that was not answered. */
export function mayBeBilled({ kind }: UpstreamFailure): boolean {
  switch (kind) {
    case 'status':
    case 'credential':
    case 'network':
      return false
    case 'timeout':
    case 'malformed':
    case 'aborted':
      return true
  }
}

export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure'
  readonly kind: FailureKind
  readonly status: number | null
  readonly code: string | null
  readonly param: string | null
  readonly retryAfterMs: number | null

  constructor(detail: FailureDetail) {
    super(detail.message)
    this.kind = detail.kind
    this.status = detail.status ?? null
    this.code = detail.code ?? null
    this.param = detail.param ?? null
    this.retryAfterMs = detail.retryAfterMs ?? null
  }
}
