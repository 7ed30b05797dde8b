// Why a call to a provider, or a request that it cannot serve, fails.
import type { ReportedUsage } from './usage.ts'

/** The request cannot be expressed in the target's format. */
export const NOT_SUPPORTED = 'not_supported_by_provider'

export type FailureKind =
  /** Timeout: connect, first byte, stall or total. */
  | 'timeout'
  /** The connection failed or was lost. */
  | 'network'
  /** The upstream answered with an HTTP error status, or with an error object and status 200. */
  | 'status'
  /** The answer does not follow its format, or a stream ended early. */
  | 'malformed'
  /** The credential is missing, locked or unusable. */
  | 'credential'
  /** The gateway ended the call: the client disconnected, the key was revoked, or the gateway is shutting down. */
  | 'aborted'

/** Why a connection failed, or what is wrong with an answer; `unexplained`: an error status without a message. */
export type FailureReason =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'closed'
  | 'certificate'
  | 'proxy'
  | 'not-tls'
  | 'not-http'
  | 'not-json'
  | 'unexplained'

/** Fields that are left out are null or false, except that `sent` is true. */
export type FailureDetail = Pick<UpstreamFailure, 'kind' | 'message'> &
  Partial<Omit<UpstreamFailure, keyof Error | 'kind'>>

/**
 * Whether the provider may bill the call. A request that never reached it or was rejected with an error status costs
 * nothing; the outcome of a call without an answer is unknown.
 */
export function mayBeBilled({ kind, sent, usage, partiallyAnswered }: UpstreamFailure): boolean {
  if (usage !== null || partiallyAnswered) return true
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
  readonly reason: FailureReason | null
  /** The upstream's HTTP status; null if there is none. */
  readonly status: number | null
  readonly code: string | null
  readonly param: string | null
  readonly retryAfterMs: number | null
  /** Whether the request may have reached the provider; true unless it certainly did not. */
  readonly sent: boolean
  /** Headers of the provider's answer that the client gets, too. */
  readonly headers: Readonly<Record<string, string>> | null
  /** The error response that the client gets unchanged: it is from the vendor of the client. Null for all others. */
  readonly body: string | null
  /** The usage that the provider reported before the failure. */
  readonly usage: ReportedUsage | null
  /** Whether the answer was complete, so that its usage is all that is billed. */
  readonly final: boolean
  /** Whether other calls for the same request had already received answers when this one failed. */
  readonly partiallyAnswered: boolean

  /** The message is redacted: it has no credential, header or internal URL. */
  constructor(detail: FailureDetail) {
    super(detail.message)
    this.kind = detail.kind
    this.reason = detail.reason ?? null
    this.status = detail.status ?? null
    this.code = detail.code ?? null
    this.param = detail.param ?? null
    this.retryAfterMs = detail.retryAfterMs ?? null
    this.sent = detail.sent ?? true
    this.headers = detail.headers ?? null
    this.body = detail.body ?? null
    this.usage = detail.usage ?? null
    this.final = detail.final ?? false
    this.partiallyAnswered = detail.partiallyAnswered ?? false
  }
}

/** The answer does not follow its format. */
export function malformedAnswer(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message })
}

/** A complete answer has nothing in it that can be passed on. With a usage, the provider bills it. */
export function emptyAnswer(message: string, usage: ReportedUsage | null): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message, usage, final: true })
}

/** Whether the provider has said what it bills for a complete answer. */
export function isSettled({ final, usage }: UpstreamFailure): boolean {
  return final && usage !== null
}

/** Adds the usage that the provider reported before the failure; null changes nothing. */
export function withUsage(failure: UpstreamFailure, usage: ReportedUsage | null): UpstreamFailure {
  return usage === null ? failure : new UpstreamFailure({ ...failure, message: failure.message, usage })
}

/** The failure of a request that the target's format cannot express: 400 with `param`, and nothing is sent upstream. */
export function refuseRequest(message: string, param: string): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status: 400,
    sent: false,
    code: NOT_SUPPORTED,
    message,
    param,
  })
}

// Error bodies, as the codecs read them.

/** The upstream's error message and codes, not yet redacted. */
export interface UpstreamErrorBody {
  message: string
  code: string | null
  param: string | null
  type: string | null
  /** The HTTP status of such an error elsewhere, if the response has one that others would take for another error. */
  status?: number
}

/** An error body without the shape of its format, such as a proxy's error page: its text is the message. */
export function textError(text: string): UpstreamErrorBody {
  return { message: text.trim(), code: null, param: null, type: null }
}

/** The first value that is the HTTP status of an error, or null. */
export function errorStatus(...values: readonly unknown[]): number | null {
  const statuses = values.map(Number)
  return statuses.find((status) => Number.isInteger(status) && status >= 400 && status <= 599) ?? null
}

/** The provider's message, or what to say if it has none. */
export function describeError(message: string): string {
  return message || 'The provider reported an error without a message.'
}

/** Collects what a request asks for and only providers of the client's own format can do; the first is reported. */
export class UnsupportedFeatures {
  readonly #describe: (what: string, advice?: string) => string
  /** The failure at every other provider; null if there is none. */
  failure: UpstreamFailure | null = null

  /** `describe`: the sentences for what cannot be translated, such as `the tool "web_search"`. */
  constructor(describe: (what: string, advice?: string) => string) {
    this.#describe = describe
  }

  /** `advice`: what the client can do instead. */
  add(what: string, param: string, advice?: string): void {
    this.refuse(this.#describe(what, advice), param)
  }

  refuse(message: string, param: string): void {
    this.failure ??= refuseRequest(message, param)
  }
}
