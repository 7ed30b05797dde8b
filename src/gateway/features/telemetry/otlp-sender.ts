// Sends one OTLP request: https://opentelemetry.io/docs/specs/otlp/#otlphttp
import { setTimeout as delay } from 'node:timers/promises'
import type { ExportProblem } from '../../../shared/api/telemetry.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { readRetryAfter } from '../../upstream/upstream-response.ts'
import type { SignalTarget } from './otlp-environment.ts'

const TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 3
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 10_000
const MAX_RESPONSE_BYTES = 65_536
/** Retryable statuses per the OTLP specification. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])
const CONTENT_TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const

/** The receiver did not take the data. The message is for the user. */
export class ExportError extends Error {
  override name = 'ExportError'
  /** Milliseconds to wait before a retry; null if one is of no use. */
  readonly retryAfterMs: number | null
  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

export interface SendOptions {
  signal: AbortSignal
  attempts?: number
  /** Called before each retry. */
  onFailure?: (error: ExportError) => void
}

/** Resolves with the body of the response. Throws ExportError after the last attempt. */
export async function sendOtlp(
  target: SignalTarget,
  body: Uint8Array,
  { signal, attempts = MAX_ATTEMPTS, onFailure }: SendOptions,
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post(target, body, signal)
    } catch (error) {
      if (!(error instanceof ExportError) || error.retryAfterMs === null) throw error
      if (attempt >= attempts || signal.aborted) throw error
      onFailure?.(error)
      const backoff = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random())
      const waitMs = Math.min(Math.max(error.retryAfterMs, backoff), MAX_DELAY_MS)
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {
        throw error
      })
    }
  }
}

async function post(
  { url, headers, protocol }: SignalTarget,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let response: Response
  let bytes: Uint8Array
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': CONTENT_TYPES[protocol], 'user-agent': 'Tollgate' },
      body: Buffer.from(body),
      // The headers may be credentials, which belong to this address only.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    bytes = await readBody(response)
  } catch (error) {
    throw new ExportError(unreachable(url, error), 0)
  }
  if (response.ok) return bytes
  const asked = readRetryAfter(
    { 'retry-after': response.headers.get('retry-after') ?? undefined },
    Date.now(),
  )
  throw new ExportError(rejected(url, response.status), RETRYABLE.has(response.status) ? (asked ?? 0) : null)
}

async function readBody(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > MAX_RESPONSE_BYTES) break
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The known part of the cause is its code: messages may quote the address and any secrets in it. */
function unreachable(url: string, error: unknown): string {
  const { host } = new URL(url)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `${host} did not answer within ${TIMEOUT_MS / 1000} s.`
  const cause = error instanceof Error ? error.cause : null
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : null
  const why = CAUSES[code ?? ''] ?? (code === null ? '' : ` (${code})`)
  return `${host} cannot be reached${why}. Is the collector running, and is this its port for OTLP over HTTP?`
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': nothing listens there',
  ENOTFOUND: ': there is no such host',
  ECONNRESET: ': it closed the connection',
}

function rejected(url: string, status: number): string {
  const { host, pathname } = new URL(url)
  if (status === 401 || status === 403)
    return `${host} rejected the credentials (${status}). Check the headers.`
  if (status === 404 || status === 405)
    return `${host} has no OTLP receiver at ${pathname} (${status}). Check the endpoint.`
  if (status === 415) return `${host} does not accept this encoding (415). Choose the other one.`
  if (status >= 300 && status <= 399)
    return `${host} redirects to another address (${status}), which is not followed. Enter the final one.`
  return `${host} answered ${status}.`
}

const LOG_INTERVAL_MS = 10 * 60_000

/** How the exports of this process went. It stays when their settings change. */
export class ExportStatus {
  readonly #clock: Clock
  readonly #log: Log
  #loggedAt: number | null = null
  lastExportAt: number | null = null
  lastProblem: ExportProblem | null = null
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
  failed(message: string, spans: number): void {
    this.lastProblem = { at: new Date(this.#clock.now()).toISOString(), message }
    this.spansLost += spans
    const now = this.#clock.monotonic()
    if (this.#loggedAt !== null && now - this.#loggedAt < LOG_INTERVAL_MS) return
    this.#loggedAt = now
    this.#log.warn(`The export to OpenTelemetry failed: ${message}`)
  }
}
