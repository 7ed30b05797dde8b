import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Target } from '../formats/chat/codec-types.ts'
import type { Answer, ChatEvent } from '../formats/chat/events.ts'
import type { UpstreamFailure } from '../formats/chat/failure.ts'
import type { TraceHeaders, TraceParent } from '../platform/trace-context.ts'

/** The facts that are known of a request when it arrives. */
export interface TraceArrival {
  requestId: string
  method: string
  /** The path of the operation, with `{id}` for an id. */
  route: string
  /** Without the query. */
  path: string
  parent: TraceParent | null
}

/** How a request ended that is not in the ledger. */
export interface TraceOutcome {
  status: number
  /** Null for a success. */
  errorType: string | null
}

/** The feature that follows requests with traces. */
export interface Tracer {
  readonly isOn: boolean
  /** Null if no traces are sent. */
  startRequest(arrival: TraceArrival): RequestTrace | null
  /** To be called at the end of each request for which `startRequest` was called. Null if the client has left before its answer. */
  endRequest(requestId: string, outcome: TraceOutcome | null): void
}

export interface RequestTrace {
  /** To be called before the first attempt, with what the client asks for. */
  describe(request: ChatRequest): void
  startAttempt(target: Target): AttemptTrace
}

/** One attempt in a trace. Its methods must not throw. */
export interface AttemptTrace {
  /** The trace headers that the provider is sent. */
  readonly headers: TraceHeaders
  /** The provider has begun to answer. */
  answered(answer: Answer): void
  /** A batch of a stream. */
  received(events: readonly ChatEvent[]): void
  /** Null for a success, and for a stream that was abandoned early. */
  ended(failure: UpstreamFailure | null): void
}

/** Passes the caller's trace on to providers, without adding to it. */
export function passTraceOn(headers: TraceHeaders): RequestTrace {
  const attempt: AttemptTrace = { headers, answered: ignore, received: ignore, ended: ignore }
  return { describe: ignore, startAttempt: () => attempt }
}

function ignore(): void {}
