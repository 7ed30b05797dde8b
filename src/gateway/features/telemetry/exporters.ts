// Exporters of the SDK over `sendOtlp`. Those of the packages exporter-*-otlp-http speak only JSON, which some receivers do
// not, and add the headers of the environment to every address.
import {
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { errorMessage } from '../../../shared/values/text.ts'
import type { SignalTarget } from './otlp-environment.ts'
import { ExportError, type ExportStatus, type SendOptions, sendOtlp } from './otlp-sender.ts'

/** The codes of the SDK's ExportResult. */
const SUCCESS = 0
const FAILED = 1

type Callback = (result: { code: typeof SUCCESS | typeof FAILED; error?: Error }) => void

interface PartialSuccess {
  partialSuccess?: { errorMessage?: string; rejectedSpans?: number; rejectedDataPoints?: number }
}

/** The common part of the exporters of both signals. `Items`: the content of one export. */
class OtlpExporter<Items> {
  readonly #target: SignalTarget
  readonly #serializer: ISerializer<Items, PartialSuccess>
  readonly #status: ExportStatus
  readonly #running = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(target: SignalTarget, serializer: ISerializer<Items, PartialSuccess>, status: ExportStatus) {
    this.#target = target
    this.#serializer = serializer
    this.#status = status
  }

  export(items: Items, callback: Callback): void {
    const spans = Array.isArray(items) ? items.length : 0
    const onFailure = ({ message }: Error) => this.#status.failed(message, 0)
    const done = this.send(items, { onFailure }).then(
      () => {
        this.#status.succeeded(spans)
        callback({ code: SUCCESS })
      },
      (error: unknown) => {
        if (this.#closing.signal.aborted) this.#status.spansLost += spans
        else this.#status.failed(errorMessage(error), spans)
        callback({ code: FAILED, error: error instanceof Error ? error : new Error(errorMessage(error)) })
      },
    )
    this.#running.add(done)
    void done.finally(() => this.#running.delete(done))
  }

  /** Throws ExportError. */
  async send(items: Items, options: Omit<SendOptions, 'signal'> = {}): Promise<void> {
    const body = this.#serializer.serializeRequest(items)
    if (!body) throw new ExportError('The data could not be encoded.')
    const answer = await sendOtlp(this.#target, body, { signal: this.#closing.signal, ...options })
    const rejected = readRejected(() => this.#serializer.deserializeResponse(answer))
    if (rejected !== null) throw new ExportError(rejected)
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Ends what is being sent. */
  async shutdown(): Promise<void> {
    this.#closing.abort()
    await this.forceFlush()
  }
}

/** Why the receiver dropped a part; null if it took everything. Some receivers answer with something else than OTLP. */
function readRejected(read: () => PartialSuccess): string | null {
  try {
    const { partialSuccess: partial } = read()
    const count = Number(partial?.rejectedSpans ?? 0) + Number(partial?.rejectedDataPoints ?? 0)
    return count > 0 ? `The receiver dropped ${count} of the items it was sent.` : null
  } catch {
    return null
  }
}

export type SpanSender = SpanExporter & Pick<OtlpExporter<ReadableSpan[]>, 'send'>
export type MetricSender = PushMetricExporter & Pick<OtlpExporter<ResourceMetrics>, 'send'>

export function createSpanExporter(target: SignalTarget, status: ExportStatus): SpanSender {
  const isJson = target.protocol === 'http/json'
  return new OtlpExporter(target, isJson ? JsonTraceSerializer : ProtobufTraceSerializer, status)
}

export function createMetricExporter(target: SignalTarget, status: ExportStatus): MetricSender {
  const isJson = target.protocol === 'http/json'
  return new OtlpExporter(target, isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer, status)
}
