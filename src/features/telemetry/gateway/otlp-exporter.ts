// The exporters of the SDK over `fetch`: https://opentelemetry.io/docs/specs/otlp/#otlphttp. The packages exporter-*-otlp-proto
// speak no JSON, keep retrying while they are shut down, and do not say what a receiver dropped.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { readRetryAfter } from '../../../gateway/upstream/upstream-response.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { ExportStatus } from './export-status.ts'
import type { SignalTarget } from './otlp-environment.ts'

const TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 3
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 10_000
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

type Callback = (result: { code: 0 | 1; error?: Error }) => void

interface PartialSuccess {
  partialSuccess?: { rejectedSpans?: number; rejectedDataPoints?: number }
}

/** The receiver did not take the data. The message is for the user. */
class ExportError extends Error {
  override name = 'ExportError'
  /** Milliseconds to wait before a retry; null if one is of no use. */
  readonly retryAfterMs: number | null
  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** `Items`: the content of one export. */
export class OtlpExporter<Items> {
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
    const done = this.send(items, MAX_ATTEMPTS).then(
      () => {
        this.#status.succeeded(spans)
        callback({ code: 0 })
      },
      (error: Error) => {
        if (this.#closing.signal.aborted) this.#status.spansLost += spans
        else this.#status.failed(errorMessage(error), spans)
        callback({ code: 1, error })
      },
    )
    this.#running.add(done)
    void done.finally(() => this.#running.delete(done))
  }

  /** Throws ExportError after the last attempt. */
  async send(items: Items, attempts = 1): Promise<void> {
    const body = this.#serializer.serializeRequest(items)
    if (!body) throw new ExportError('The data could not be encoded.')
    const rejected = this.#countRejected(await this.#postWithRetries(body, attempts))
    if (rejected > 0) throw new ExportError(`The receiver dropped ${rejected} of the items it was sent.`)
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Ends what is being sent. */
  async shutdown(): Promise<void> {
    this.#closing.abort()
    await this.forceFlush()
  }

  async #postWithRetries(body: Uint8Array, attempts: number): Promise<Uint8Array> {
    const { signal } = this.#closing
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await post(this.#target, body, signal)
      } catch (error) {
        if (!(error instanceof ExportError) || error.retryAfterMs === null) throw error
        if (attempt >= attempts || signal.aborted) throw error
        this.#status.failed(error.message, 0)
        const backoff = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random())
        const waitMs = Math.min(Math.max(error.retryAfterMs, backoff), MAX_DELAY_MS)
        await delay(waitMs, undefined, { signal, ref: false }).catch(() => {
          throw error
        })
      }
    }
  }

  /** Some receivers answer with something else than OTLP. */
  #countRejected(answer: Uint8Array): number {
    try {
      const { partialSuccess } = this.#serializer.deserializeResponse(answer)
      return Number(partialSuccess?.rejectedSpans ?? 0) + Number(partialSuccess?.rejectedDataPoints ?? 0)
    } catch {
      return 0
    }
  }
}

export function createSpanExporter(target: SignalTarget, status: ExportStatus): OtlpExporter<ReadableSpan[]> {
  const isJson = target.protocol === 'http/json'
  return new OtlpExporter(target, isJson ? JsonTraceSerializer : ProtobufTraceSerializer, status)
}

export function createMetricExporter(
  target: SignalTarget,
  status: ExportStatus,
): OtlpExporter<ResourceMetrics> {
  const isJson = target.protocol === 'http/json'
  return new OtlpExporter(target, isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer, status)
}

async function post(
  { url, headers, protocol }: SignalTarget,
  body: Uint8Array,
  closing: AbortSignal,
): Promise<Uint8Array> {
  const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf'
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': type, 'user-agent': 'Tollgate' },
    body: Buffer.from(body),
    // The headers may be credentials, which belong to this address only.
    redirect: 'manual',
    signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: unknown) => {
    throw new ExportError(explainUnreachable(url, error), 0)
  })
  if (response.ok) return await response.bytes().catch(() => new Uint8Array())
  void response.body?.cancel()
  const retryAfter = response.headers.get('retry-after') ?? undefined
  const { status } = response
  const retryMs = RETRYABLE_STATUSES.has(status)
    ? (readRetryAfter({ 'retry-after': retryAfter }, Date.now()) ?? 0)
    : null
  throw new ExportError(explainStatus(new URL(url), status), retryMs)
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': nothing listens there',
  ENOTFOUND: ': there is no such host',
  ECONNRESET: ': it closed the connection',
}

/** Of the cause, only its code is shown: messages may quote the address and any secrets in it. */
function explainUnreachable(url: string, error: unknown): string {
  const { host } = new URL(url)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `${host} did not answer within ${TIMEOUT_MS / 1000} s.`
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  const why = CAUSES[code ?? ''] ?? (code === null ? '' : ` (${code})`)
  return `${host} cannot be reached${why}. Is the collector running, and is this its port for OTLP over HTTP?`
}

function explainStatus({ host, pathname }: URL, status: number): string {
  if (status === 401 || status === 403)
    return `${host} rejected the credentials (${status}). Check the headers.`
  if (status === 404 || status === 405)
    return `${host} has no OTLP receiver at ${pathname} (${status}). Check the endpoint.`
  if (status === 415) return `${host} does not accept this encoding (415). Choose the other one.`
  if (status >= 300 && status <= 399)
    return `${host} redirects to another address (${status}), which is not followed. Enter the final one.`
  return `${host} answered ${status}.`
}
