// The spans of one request: one of the server, and below it one for each attempt at a provider.
import {
  type Attributes,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { Target } from '../../../gateway/formats/chat/codec-types.ts'
import type { Answer, ChatEvent } from '../../../gateway/formats/chat/events.ts'
import type { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { type TraceHeaders, type TraceParent, traceHeaders } from '../../../gateway/platform/trace-context.ts'
import type {
  AttemptTrace,
  RequestTrace,
  TraceArrival,
  TraceOutcome,
} from '../../../gateway/upstream/request-trace.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { AnswerAssembler } from '../../../shared/formats/answer-assembler.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { inputMessages, outputMessages } from './prompt-messages.ts'
import {
  attemptAttributes,
  operationName,
  recordAttributes,
  requestAttributes,
  servingAttributes,
} from './span-attributes.ts'

export class RequestSpan implements RequestTrace {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #operation: string
  readonly #withPrompts: boolean
  readonly #attempts: AttemptSpan[] = []
  #request: ChatRequest | null = null
  #isEnded = false

  constructor(
    tracer: Tracer,
    { requestId, method, route, path, parent }: TraceArrival,
    withPrompts: boolean,
  ) {
    this.#tracer = tracer
    this.#withPrompts = withPrompts
    this.#operation = operationName(route)
    const attributes: Attributes = {
      [semconv.ATTR_HTTP_REQUEST_METHOD]: method,
      [semconv.ATTR_HTTP_ROUTE]: route,
      [semconv.ATTR_URL_PATH]: path,
      [semconv.ATTR_URL_SCHEME]: 'http',
      'tollgate.request.id': requestId,
    }
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteContext(parent))
    this.#span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, context)
  }

  describe(request: ChatRequest): void {
    this.#request = request
  }

  startAttempt(target: Target): AttemptSpan {
    const attributes = {
      ...attemptAttributes(this.#operation, target),
      ...(this.#request ? requestAttributes(this.#request) : {}),
    }
    const span = this.#tracer.startSpan(
      `${this.#operation} ${target.upstreamModel}`,
      { kind: SpanKind.CLIENT, attributes },
      trace.setSpan(ROOT_CONTEXT, this.#span),
    )
    const attempt = new AttemptSpan(span, this.#withPrompts)
    this.#attempts.push(attempt)
    return attempt
  }

  settled(record: RequestRecord): void {
    if (this.#isEnded) return
    this.#span.setAttributes(recordAttributes(record))
    const { error, httpStatus, status } = record
    this.#setError(error && (error.code ?? error.type), httpStatus)
    if (status === 'succeeded') this.#attempts.at(-1)?.add(servingAttributes(record))
    this.#end()
  }

  /**
   * Ends a request that was not settled: it was refused before it was sent to a provider, its client has left, or it costs
   * nothing, such as a count of tokens.
   */
  end(outcome: TraceOutcome | null): void {
    if (this.#isEnded) return
    if (this.#request) this.#span.setAttribute(semconv.ATTR_GEN_AI_REQUEST_MODEL, this.#request.model)
    if (outcome) this.#setError(outcome.errorType, outcome.status)
    this.#end()
  }

  #setError(type: string | null, httpStatus: number | null): void {
    if (httpStatus !== null) this.#span.setAttribute(semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, httpStatus)
    if (type === null) return
    this.#span.setAttribute(semconv.ATTR_ERROR_TYPE, type)
    // A client's error is not one of the server: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status
    if (httpStatus === null || httpStatus >= 500 || httpStatus < 400)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }

  #end(): void {
    this.#isEnded = true
    if (this.#withPrompts && this.#request)
      this.#attempts[0]?.add({ [semconv.ATTR_GEN_AI_INPUT_MESSAGES]: inputMessages(this.#request) })
    for (const attempt of this.#attempts) attempt.finish()
    this.#span.end()
    this.#request = null
  }
}

function remoteContext({ traceId, spanId, flags, state }: TraceParent) {
  const context = { traceId, spanId, traceFlags: flags & 1, isRemote: true }
  return state === null ? context : { ...context, traceState: createTraceState(state) }
}

/** A call of a provider. It ends with the request, when its usage is known, at the time at which the call ended. */
class AttemptSpan implements AttemptTrace {
  readonly headers: TraceHeaders
  readonly #span: Span
  readonly #startedAt = performance.now()
  readonly #answer: AnswerAssembler | null
  readonly #finishReasons = new Map<number, string>()
  #endedAt: number | null = null

  constructor(span: Span, withPrompts: boolean) {
    this.#span = span
    this.#answer = withPrompts ? new AnswerAssembler() : null
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    this.headers = traceHeaders({
      traceId,
      spanId,
      flags: traceFlags,
      state: traceState?.serialize() || null,
    })
  }

  answered(answer: Answer): void {
    if (answer.kind === 'stream') {
      const seconds = (performance.now() - this.#startedAt) / 1000
      this.#span.setAttribute(semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK, seconds)
      return
    }
    for (const { index, message, finish_reason } of answer.completion.choices)
      this.#choice(index, message, finish_reason)
  }

  received(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type !== 'chunk') continue
      for (const { index, delta, finish_reason } of event.chunk.choices)
        this.#choice(index, delta, finish_reason)
    }
  }

  ended(failure: UpstreamFailure | null): void {
    this.#endedAt = Date.now()
    if (!failure) return
    this.add({ [semconv.ATTR_ERROR_TYPE]: failure.status === null ? failure.kind : String(failure.status) })
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }

  add(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  finish(): void {
    if (this.#finishReasons.size > 0) {
      this.add({ [semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [...this.#finishReasons.values()] })
      if (this.#answer) this.add({ [semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]: outputMessages(this.#answer) })
    }
    this.#span.end(this.#endedAt ?? undefined)
  }

  #choice(index: number, delta: Readonly<Record<string, unknown>>, finish: string | null): void {
    if (finish !== null) this.#finishReasons.set(index, finish)
    this.#answer?.add(index, delta, finish)
  }
}
