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
import type { TraceParent } from '../../../gateway/platform/trace-context.ts'
import type { RequestTrace, TraceArrival, TraceOutcome } from '../../../gateway/upstream/request-trace.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { AttemptSpan } from './attempt-span.ts'
import { inputMessages } from './prompt-messages.ts'
import {
  errorType,
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
    const attempt = new AttemptSpan({
      tracer: this.#tracer,
      parent: trace.setSpan(ROOT_CONTEXT, this.#span),
      operation: this.#operation,
      target,
      request: this.#request ? requestAttributes(this.#request) : {},
      withPrompts: this.#withPrompts,
    })
    this.#attempts.push(attempt)
    return attempt
  }

  settled(record: RequestRecord): void {
    if (this.#isEnded) return
    this.#span.setAttributes(recordAttributes(record))
    this.#setError(record.error ? errorType(record) : null, record.httpStatus)
    const serving = record.status === 'succeeded' ? this.#attempts.at(-1) : undefined
    serving?.add(servingAttributes(record))
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
    const [first] = this.#attempts
    if (this.#withPrompts && this.#request && first)
      first.add({ [semconv.ATTR_GEN_AI_INPUT_MESSAGES]: inputMessages(this.#request) })
    for (const attempt of this.#attempts) attempt.finish()
    this.#span.end()
    this.#request = null
  }
}

function remoteContext({ traceId, spanId, flags, state }: TraceParent) {
  const known = { traceId, spanId, traceFlags: flags & 1, isRemote: true }
  return state === null ? known : { ...known, traceState: createTraceState(state) }
}
