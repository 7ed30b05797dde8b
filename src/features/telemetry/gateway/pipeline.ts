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
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { TraceArrival, TraceOutcome } from '../../../gateway/upstream/request-trace.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { TelemetryTest } from '../api/telemetry.ts'
import type { ExportStatus } from './export-status.ts'
import type { OtlpTargets } from './otlp-environment.ts'
import { createMetricExporter, createSpanExporter } from './otlp-exporter.ts'
import { createMetrics } from './otlp-metrics.ts'
import { RequestSpan } from './request-span.ts'

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
  readonly #includePrompts: boolean
  readonly #tracerProvider: TracerProvider
  readonly #tracer: Tracer
  readonly #meterProvider: MeterProvider
  readonly #count: ((record: RequestRecord, repeats: number) => void) | null = null
  readonly #sendsTraces: boolean
  /** A test export of each signal. */
  readonly #tests: (() => Promise<TelemetryTest['data'][number]>)[] = []
  readonly #exporters: { shutdown(): Promise<void> }[] = []
  /** The spans that are not settled, by the id of the request. */
  readonly #running = new Map<string, RequestSpan>()

  constructor({ targets: { traces, metrics }, includePrompts, status, version, installId }: PipelineOptions) {
    this.#includePrompts = includePrompts
    this.#sendsTraces = traces !== null
    const resource = resourceFromAttributes({
      [semconv.ATTR_SERVICE_NAME]: 'tollgate',
      [semconv.ATTR_SERVICE_VERSION]: version,
      [semconv.ATTR_SERVICE_INSTANCE_ID]: installId,
    })
    const spanProcessors: SpanProcessor[] = []
    if (traces) {
      const exporter = createSpanExporter(traces, status)
      this.#exporters.push(exporter)
      spanProcessors.push(createBatchProcessor(exporter, includePrompts))
      this.#tests.push(() => runTest('traces', traces.url, () => exporter.send(createTestSpan())))
    }
    // A caller that does not sample its trace does not want our part of it either.
    const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() })
    this.#tracerProvider = new TracerProvider({ resource, sampler, spanProcessors })
    this.#tracer = this.#tracerProvider.getTracer(SCOPE, version)
    const readers: PeriodicExportingMetricReader[] = []
    if (metrics) {
      const exporter = createMetricExporter(metrics, status)
      this.#exporters.push(exporter)
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: METRICS_INTERVAL_MS,
        exportTimeoutMillis: METRICS_INTERVAL_MS / 2,
      })
      readers.push(reader)
      const send = async () => exporter.send((await reader.collect()).resourceMetrics)
      this.#tests.push(() => runTest('metrics', metrics.url, send))
    }
    this.#meterProvider = new MeterProvider({ resource, readers })
    if (metrics) this.#count = createMetrics(this.#meterProvider.getMeter(SCOPE, version))
  }

  /** Null if no traces are sent. */
  startRequest(arrival: TraceArrival): RequestSpan | null {
    if (!this.#sendsTraces) return null
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

  async test(): Promise<TelemetryTest> {
    return { data: await Promise.all(this.#tests.map((test) => test())) }
  }

  /** Sends what waits, for two seconds at most. */
  async close(): Promise<void> {
    for (const id of [...this.#running.keys()]) this.end(id, null)
    // It sends what waits, and then closes the exporters.
    const done = Promise.allSettled([this.#tracerProvider.shutdown(), this.#meterProvider.shutdown()])
    await Promise.race([done, delay(CLOSE_MS, undefined, { ref: false })])
    await Promise.allSettled(this.#exporters.map((exporter) => exporter.shutdown()))
  }
}

function createTestSpan(): ReadableSpan[] {
  const memory = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
  provider.getTracer(SCOPE).startSpan('tollgate.test').end()
  return memory.getFinishedSpans()
}

function createBatchProcessor(exporter: SpanExporter, includePrompts: boolean): BatchSpanProcessor {
  const maxQueueSize = includePrompts ? MAX_QUEUED_WITH_PROMPTS : MAX_QUEUED
  return new BatchSpanProcessor({
    exporter,
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, includePrompts ? 16 : 512),
    scheduledDelayMillis: SPANS_INTERVAL_MS,
    exportTimeoutMillis: 30_000,
  })
}

async function runTest(
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
