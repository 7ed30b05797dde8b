// The SDK of OpenTelemetry. Loaded when the export is turned on.
import { setTimeout as delay } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { TelemetryTest } from '../../../shared/api/telemetry.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { createMetricExporter, createSpanExporter, type MetricSender, type SpanSender } from './exporters.ts'
import type { OtlpTargets } from './otlp-environment.ts'
import { createMetrics } from './otlp-metrics.ts'
import type { ExportStatus } from './otlp-sender.ts'
import { type Arrival, type Outcome, RequestSpan } from './request-span.ts'

const SCOPE = 'tollgate'
const METRICS_INTERVAL_MS = 60_000
const SPANS_INTERVAL_MS = 5_000
/** Spans that wait. More are dropped: a receiver that is down must not fill the memory. */
const MAX_QUEUED = 2_048
/** One span can have half a megabyte of prompt and answer. */
const MAX_QUEUED_WITH_PROMPTS = 128
const CLOSE_MS = 2_000

export interface PipelineOptions {
  targets: OtlpTargets
  includePrompts: boolean
  status: ExportStatus
  version: string
  installId: string
}

export class Pipeline {
  readonly #targets: OtlpTargets
  readonly #includePrompts: boolean
  readonly #tracerProvider: TracerProvider
  readonly #tracer: Tracer
  readonly #spans: SpanSender | null
  readonly #meterProvider: MeterProvider
  readonly #metrics: MetricSender | null
  readonly #reader: PeriodicExportingMetricReader | null
  readonly #count: ((record: RequestRecord, repeats: number) => void) | null
  /** The spans that are not settled, by the id of the request. */
  readonly #running = new Map<string, RequestSpan>()

  constructor({ targets, includePrompts, status, version, installId }: PipelineOptions) {
    this.#targets = targets
    this.#includePrompts = includePrompts
    const resource = resourceFromAttributes({
      [semconv.ATTR_SERVICE_NAME]: 'tollgate',
      [semconv.ATTR_SERVICE_VERSION]: version,
      [semconv.ATTR_SERVICE_INSTANCE_ID]: installId,
    })
    this.#spans = targets.traces && createSpanExporter(targets.traces, status)
    this.#tracerProvider = new TracerProvider({
      resource,
      // A caller that does not sample its trace does not want our part of it either.
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      spanProcessors: this.#spans ? [batchProcessor(this.#spans, includePrompts)] : [],
    })
    this.#tracer = this.#tracerProvider.getTracer(SCOPE, version)
    this.#metrics = targets.metrics && createMetricExporter(targets.metrics, status)
    this.#reader =
      this.#metrics &&
      new PeriodicExportingMetricReader({
        exporter: this.#metrics,
        exportIntervalMillis: METRICS_INTERVAL_MS,
        exportTimeoutMillis: METRICS_INTERVAL_MS / 2,
      })
    this.#meterProvider = new MeterProvider({ resource, readers: this.#reader ? [this.#reader] : [] })
    this.#count = this.#reader && createMetrics(this.#meterProvider.getMeter(SCOPE, version))
  }

  /** Null if no traces are sent. */
  startRequest(arrival: Arrival): RequestSpan | null {
    if (!this.#spans) return null
    const span = new RequestSpan(this.#tracer, arrival, this.#includePrompts)
    this.#running.set(arrival.requestId, span)
    return span
  }

  settled(record: RequestRecord, repeats: number): void {
    this.#running.get(record.id)?.settled(record)
    this.#count?.(record, repeats)
  }

  /** To be called for each request that was started. */
  end(requestId: string, outcome: Outcome | null): void {
    this.#running.get(requestId)?.end(outcome)
    this.#running.delete(requestId)
  }

  async test(): Promise<TelemetryTest> {
    const { traces, metrics } = this.#targets
    const spans = this.#spans
    const sender = this.#metrics
    const reader = this.#reader
    return {
      data: await Promise.all([
        ...(traces && spans
          ? [attempt('traces', traces.url, () => spans.send(this.#testSpan(), { attempts: 1 }))]
          : []),
        ...(metrics && sender && reader
          ? [
              attempt('metrics', metrics.url, async () =>
                sender.send((await reader.collect()).resourceMetrics, { attempts: 1 }),
              ),
            ]
          : []),
      ]),
    }
  }

  /** Sends what waits, for two seconds at most. */
  async close(): Promise<void> {
    for (const id of [...this.#running.keys()]) this.end(id, null)
    // It sends what waits, and then closes the exporters.
    const done = Promise.allSettled([this.#tracerProvider.shutdown(), this.#meterProvider.shutdown()])
    await Promise.race([done, delay(CLOSE_MS, undefined, { ref: false })])
    await Promise.allSettled([this.#spans?.shutdown(), this.#metrics?.shutdown()])
  }

  #testSpan() {
    const memory = new InMemorySpanExporter()
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
    provider.getTracer(SCOPE).startSpan('tollgate.test').end()
    return memory.getFinishedSpans()
  }
}

function batchProcessor(exporter: SpanSender, includePrompts: boolean): BatchSpanProcessor {
  const maxQueueSize = includePrompts ? MAX_QUEUED_WITH_PROMPTS : MAX_QUEUED
  return new BatchSpanProcessor({
    exporter,
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, includePrompts ? 16 : 512),
    scheduledDelayMillis: SPANS_INTERVAL_MS,
    exportTimeoutMillis: 30_000,
  })
}

async function attempt(
  signal: TelemetryTest['data'][number]['signal'],
  url: string,
  send: () => Promise<void>,
): Promise<TelemetryTest['data'][number]> {
  const startedAt = performance.now()
  const error = await send().then(
    () => null,
    (thrown: unknown) => errorMessage(thrown),
  )
  return { signal, url, ok: error === null, ms: Math.round(performance.now() - startedAt), error }
}
