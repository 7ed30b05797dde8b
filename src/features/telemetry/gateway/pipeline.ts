// The SDK of OpenTelemetry. Loaded when the export is turned on.
import { setTimeout as delay } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import {
  type ISerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { TraceArrival, TraceOutcome } from '../../../gateway/upstream/request-trace.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { OtlpTarget } from './otlp-environment.ts'
import { type ExportStatus, OtlpExporter } from './otlp-exporter.ts'
import { createMetrics } from './otlp-metrics.ts'
import { RequestSpan } from './request-span.ts'

const SCOPE = 'tollgate'
const METRICS_INTERVAL_MS = 60_000
const SPANS_INTERVAL_MS = 5_000
/** Spans that wait, and those of one export. More are dropped: a receiver that is down must not fill the memory. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512 }
/** One span can have half a megabyte of prompt and answer. */
const QUEUE_WITH_PROMPTS = { maxQueueSize: 128, maxExportBatchSize: 16 }
const CLOSE_MS = 2_000

interface PipelineOptions {
  target: OtlpTarget
  traces: boolean
  metrics: boolean
  includePrompts: boolean
  status: ExportStatus
  version: string
  installId: string
}

export class Pipeline {
  readonly #includePrompts: boolean
  /** Null if no traces are sent. */
  readonly #tracer: Tracer | null = null
  /** Null if no metrics are sent. */
  readonly #count: ((record: RequestRecord, repeats: number) => void) | null = null
  readonly #providers: { shutdown(): Promise<void> }[] = []
  readonly #exporters: { shutdown(): Promise<void> }[] = []
  /** The spans that are not settled, by the id of the request. */
  readonly #running = new Map<string, RequestSpan>()

  constructor({ target: { endpoint, headers }, status, version, installId, ...options }: PipelineOptions) {
    const { traces, metrics, includePrompts } = options
    this.#includePrompts = includePrompts
    const resource = resourceFromAttributes({
      [semconv.ATTR_SERVICE_NAME]: 'tollgate',
      [semconv.ATTR_SERVICE_VERSION]: version,
      [semconv.ATTR_SERVICE_INSTANCE_ID]: installId,
    })
    const createExporter = <Items>(path: string, serializer: ISerializer<Items, unknown>) => {
      const url = `${endpoint.replace(/\/+$/, '')}${path}`
      const exporter = new OtlpExporter(url, headers, serializer, status)
      this.#exporters.push(exporter)
      return exporter
    }
    if (traces) {
      const processor = new BatchSpanProcessor({
        exporter: createExporter('/v1/traces', ProtobufTraceSerializer),
        ...(includePrompts ? QUEUE_WITH_PROMPTS : QUEUE),
        scheduledDelayMillis: SPANS_INTERVAL_MS,
      })
      // A caller that does not sample its trace does not want our part of it either.
      const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() })
      const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] })
      this.#providers.push(provider)
      this.#tracer = provider.getTracer(SCOPE, version)
    }
    if (metrics) {
      const reader = new PeriodicExportingMetricReader({
        exporter: createExporter('/v1/metrics', ProtobufMetricsSerializer),
        exportIntervalMillis: METRICS_INTERVAL_MS,
        exportTimeoutMillis: METRICS_INTERVAL_MS / 2,
      })
      const provider = new MeterProvider({ resource, readers: [reader] })
      this.#providers.push(provider)
      this.#count = createMetrics(provider.getMeter(SCOPE, version))
    }
  }

  /** Null if no traces are sent. */
  startRequest(arrival: TraceArrival): RequestSpan | null {
    if (!this.#tracer) return null
    const span = new RequestSpan(this.#tracer, arrival, this.#includePrompts)
    this.#running.set(arrival.requestId, span)
    return span
  }

  settled(record: RequestRecord, repeats: number): void {
    this.#running.get(record.id)?.settled(record)
    this.#count?.(record, repeats)
  }

  /** To be called for each request that was started. */
  end(requestId: string, outcome: TraceOutcome | null): void {
    this.#running.get(requestId)?.end(outcome)
    this.#running.delete(requestId)
  }

  /** Sends what waits, for two seconds at most. */
  async close(): Promise<void> {
    for (const id of [...this.#running.keys()]) this.end(id, null)
    // It sends what waits, and then closes the exporters.
    const done = Promise.allSettled(this.#providers.map((provider) => provider.shutdown()))
    await Promise.race([done, delay(CLOSE_MS, undefined, { ref: false })])
    await Promise.allSettled(this.#exporters.map((exporter) => exporter.shutdown()))
  }
}
