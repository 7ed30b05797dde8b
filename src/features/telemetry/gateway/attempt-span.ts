import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { Target } from '../../../gateway/formats/chat/codec-types.ts'
import type { Answer, ChatEvent } from '../../../gateway/formats/chat/events.ts'
import type { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { type TraceHeaders, traceHeaders } from '../../../gateway/platform/trace-context.ts'
import type { AttemptTrace } from '../../../gateway/upstream/request-trace.ts'
import { AnswerAssembler } from '../../../shared/formats/answer-assembler.ts'
import { outputMessages } from './prompt-messages.ts'
import { providerName } from './span-attributes.ts'

interface AttemptStart {
  tracer: Tracer
  /** The context with the span of the request. */
  parent: Context
  operation: string
  target: Target
  request: Attributes
  withPrompts: boolean
}

/** A call of a provider. It ends with the request, when its usage is known, at the time at which the call ended. */
export class AttemptSpan implements AttemptTrace {
  readonly headers: TraceHeaders
  readonly #span: Span
  readonly #startedAt = performance.now()
  readonly #answer: AnswerAssembler | null
  readonly #finishReasons = new Map<number, string>()
  #endedAt: number | null = null

  constructor({ tracer, parent, operation, target, request, withPrompts }: AttemptStart) {
    const { providerId, upstreamModel, baseUrl } = target
    this.#span = tracer.startSpan(
      `${operation} ${upstreamModel}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          [semconv.ATTR_GEN_AI_OPERATION_NAME]: operation,
          [semconv.ATTR_GEN_AI_PROVIDER_NAME]: providerName(providerId),
          [semconv.ATTR_GEN_AI_REQUEST_MODEL]: upstreamModel,
          'tollgate.provider.id': providerId,
          ...addressAttributes(baseUrl),
          ...request,
        },
      },
      parent,
    )
    this.#answer = withPrompts ? new AnswerAssembler() : null
    const { traceId, spanId, traceFlags, traceState } = this.#span.spanContext()
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
    this.#span.setAttribute(
      semconv.ATTR_ERROR_TYPE,
      failure.status === null ? failure.kind : String(failure.status),
    )
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }

  add(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  finish(): void {
    if (this.#finishReasons.size > 0)
      this.add({ [semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [...this.#finishReasons.values()] })
    if (this.#answer && this.#finishReasons.size > 0)
      this.add({ [semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]: outputMessages(this.#answer) })
    this.#span.end(this.#endedAt ?? undefined)
  }

  #choice(index: number, delta: Readonly<Record<string, unknown>>, finish: string | null): void {
    if (finish !== null) this.#finishReasons.set(index, finish)
    this.#answer?.add(index, delta, finish)
  }
}

/** Nothing for the sandbox, which has no address. */
function addressAttributes(baseUrl: string): Attributes {
  const url = URL.parse(baseUrl)
  if (!url || url.hostname === '') return {}
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return { [semconv.ATTR_SERVER_ADDRESS]: url.hostname, [semconv.ATTR_SERVER_PORT]: port }
}
