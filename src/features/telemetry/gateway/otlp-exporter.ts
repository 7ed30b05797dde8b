// An exporter of the SDK over `fetch`: https://opentelemetry.io/docs/specs/otlp/#otlphttp. The packages exporter-*-otlp-proto add
// the headers of the environment to every address, and keep retrying while they are shut down.
import { setTimeout as delay } from 'node:timers/promises'
import type { ISerializer } from '@opentelemetry/otlp-transformer'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { Telemetry } from '../api/telemetry.ts'

const LOG_INTERVAL_MS = 10 * 60_000

/** How the exports of this process went. It stays when their settings change. */
export class ExportStatus {
  readonly #clock: Clock
  readonly #log: Log
  #loggedAt: number | null = null
  lastExportAt: number | null = null
  lastProblem: Telemetry['lastProblem'] = null
  spansSent = 0
  spansLost = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  succeeded(spans: number): void {
    this.lastExportAt = this.#clock.now()
    this.lastProblem = null
    this.spansSent += spans
  }

  /** Logs one line in ten minutes: a receiver that is down must not fill the log. */
  failed(message: string, spans = 0): void {
    this.lastProblem = { at: new Date(this.#clock.now()).toISOString(), message }
    this.spansLost += spans
    const now = this.#clock.monotonic()
    if (this.#loggedAt !== null && now - this.#loggedAt < LOG_INTERVAL_MS) return
    this.#loggedAt = now
    this.#log.warn(`The export to OpenTelemetry failed: ${message}`)
  }
}

const TIMEOUT_MS = 10_000
/** The waits between the attempts of one export. */
const RETRY_AFTER_MS = [1_000, 3_000]
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The receiver did not take the data. The message is for the user. */
class ExportError extends Error {
  override name = 'ExportError'
  readonly isRetryable: boolean
  constructor(message: string, isRetryable: boolean) {
    super(message)
    this.isRetryable = isRetryable
  }
}

type Callback = (result: { code: 0 | 1; error?: Error }) => void

/** `Items`: the content of one export. */
export class OtlpExporter<Items> {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #serializer: ISerializer<Items, unknown>
  readonly #status: ExportStatus
  readonly #running = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    serializer: ISerializer<Items, unknown>,
    status: ExportStatus,
  ) {
    this.#url = url
    this.#headers = headers
    this.#serializer = serializer
    this.#status = status
  }

  export(items: Items, callback: Callback): void {
    const spans = Array.isArray(items) ? items.length : 0
    const done = this.#send(items).then(
      () => {
        this.#status.succeeded(spans)
        callback({ code: 0 })
      },
      (error: Error) => {
        this.#status.failed(errorMessage(error), spans)
        callback({ code: 1, error })
      },
    )
    this.#running.add(done)
    void done.finally(() => this.#running.delete(done))
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Ends what is being sent. */
  async shutdown(): Promise<void> {
    this.#closing.abort()
    await this.forceFlush()
  }

  async #send(items: Items): Promise<void> {
    const body = this.#serializer.serializeRequest(items)
    if (!body) throw new ExportError('The data could not be encoded.', false)
    for (const waitMs of RETRY_AFTER_MS) {
      try {
        return await this.#post(body)
      } catch (error) {
        if (!(error instanceof ExportError && error.isRetryable)) throw error
        this.#status.failed(error.message)
        await delay(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {
          throw error
        })
      }
    }
    await this.#post(body)
  }

  async #post(body: Uint8Array): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/x-protobuf', 'user-agent': 'Tollgate' },
      body: Buffer.from(body),
      // The headers may be credentials, which belong to this address only.
      redirect: 'manual',
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      throw new ExportError(explainUnreachable(this.#url, error), true)
    })
    void response.body?.cancel()
    if (response.ok) return
    const { status } = response
    throw new ExportError(explainStatus(new URL(this.#url), status), RETRYABLE_STATUSES.has(status))
  }
}

/** Of the cause, only its code is shown: messages may quote the address and any secrets in it. */
function explainUnreachable(url: string, error: unknown): string {
  const { host } = new URL(url)
  // Its time was over, or Tollgate ends.
  if (error instanceof DOMException) return `${host} did not answer in time.`
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return `${host} cannot be reached${code}. Is the collector running, and is this its port for OTLP over HTTP?`
}

function explainStatus({ host, pathname }: URL, status: number): string {
  if (status === 401 || status === 403)
    return `${host} rejected the credentials (${status}). Check the headers.`
  if (status === 404 || status === 405)
    return `${host} has no OTLP receiver at ${pathname} (${status}). Check the endpoint.`
  if (status >= 300 && status <= 399)
    return `${host} redirects to another address (${status}), which is not followed. Enter the final one.`
  return `${host} answered ${status}.`
}
