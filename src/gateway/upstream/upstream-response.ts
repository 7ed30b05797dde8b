// One HTTP exchange with an upstream, in any API format.
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, errors } from 'undici'
import type { FormatCodec } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { type Clock, getTimers, systemClock } from '../platform/clock.ts'
import { NO_HEADERS, type PlainHeaders } from '../platform/headers.ts'
import type { HttpRequest, UpstreamPool } from './connection-pool.ts'
import type { Abortable, Watchdog } from './watchdog.ts'

/** Bytes that are received ahead of the reader. */
const MAX_AHEAD = 65_536
/** How long the rest of a finished response may take; when it is read, its connection can be used again. */
const DRAIN_MS = 1000

/** A request and its response. One reader reads the body while it arrives. */
export class UpstreamResponse implements Dispatcher.DispatchHandler, Abortable {
  /** 0 until the headers have come. */
  status = 0
  headers: IncomingHttpHeaders = {}
  /** Whether the request was written to a connection. Before that it cannot have been billed. */
  sent = false
  #clock: Clock = systemClock
  #controller: Dispatcher.DispatchController | null = null
  /** The data that has arrived and was not read yet. */
  #chunks: Buffer[] = []
  #ahead = 0
  #isComplete = false
  #error: Error | null = null
  #isDiscarded = false
  #drain: NodeJS.Timeout | undefined
  #pool: UpstreamPool | null = null
  #wake: (() => void) | null = null

  /** Resolves when the status and headers have come. Never follows a redirect. Rejects with undici's errors. */
  send(request: HttpRequest, pool: UpstreamPool, watchdog: Watchdog): Promise<void> {
    this.#clock = pool.clock
    this.#pool = pool
    watchdog.watch(this)
    return new Promise((resolve, reject) => {
      this.#wake = () => (this.#error ? reject(this.#error) : resolve())
      if (this.#error) this.#notify()
      else pool.dispatch(request, this)
    })
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  /** Lower-cased and without parameters; '' when there is none. */
  get mediaType(): string {
    const type = this.headers['content-type'] ?? ''
    const end = type.indexOf(';')
    return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
  }

  /** Whether the whole body has come: the next `read` returns the rest of it. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * What has come since the last call; waits if nothing has. Null at the end. Throws undici's errors, or the reason of an
   * abort, after all that came before.
   */
  async read(): Promise<Buffer | null> {
    if (!this.hasNews) await this.#news()
    return this.readNews()
  }

  /** Bytes that have come and were not read. */
  get length(): number {
    return this.#ahead
  }

  /** Whether `readNews` has something to return or to throw. */
  get hasNews(): boolean {
    return this.#chunks.length > 0 || this.#isComplete || this.#error !== null
  }

  /** Returns what `read` does, for a response that has news. */
  readNews(): Buffer | null {
    const chunks = this.#chunks
    const [first] = chunks
    if (!first) {
      if (this.#error) throw this.#error
      return null
    }
    const bytes = chunks.length === 1 ? first : Buffer.concat(chunks, this.#ahead)
    this.#chunks = []
    this.#ahead = 0
    if (this.#controller?.paused && !this.#error) this.#controller.resume()
    return bytes
  }

  /** Closes the connection, unless the response is complete. */
  destroy(): void {
    this.abort(new errors.RequestAbortedError())
  }

  abort(reason: Error): void {
    if (this.#isComplete || this.#error) return
    this.#end(reason)
    this.#controller?.abort(reason)
  }

  /** Receives the rest, and discards it; a response that does not end is closed. */
  drain(): void {
    if (this.#isComplete || this.#error) return
    this.#chunks = []
    this.#isDiscarded = true
    this.#drain = getTimers(this.#clock).setTimeout(() => this.destroy(), DRAIN_MS)
    this.#controller?.resume()
  }

  /** undici calls it when the request has a connection, and is about to be written to it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#error) {
      controller.abort(this.#error)
      return
    }
    this.#controller = controller
    this.sent = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (this.#pool) this.#pool.lastDate = { header: headers.date, atMs: this.#clock.now() }
    this.#notify()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDiscarded) return
    this.#chunks.push(chunk)
    this.#ahead += chunk.byteLength
    if (this.#ahead > MAX_AHEAD) controller.pause()
    this.#notify()
  }

  onResponseEnd(): void {
    this.#isComplete = true
    this.#end(null)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.#error) this.#end(error)
  }

  #end(error: Error | null): void {
    this.#error = error
    getTimers(this.#clock).clear(this.#drain)
    this.#notify()
  }

  /** All that one read from the network brings comes before the promise's reactions run. */
  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

/** Sends the request and waits for the status and headers, as `UpstreamResponse.send` does. */
export async function sendRequest(
  request: HttpRequest,
  pool: UpstreamPool,
  watchdog: Watchdog,
): Promise<UpstreamResponse> {
  const exchange = new UpstreamResponse()
  await exchange.send(request, pool, watchdog)
  return exchange
}

/** The complete body as text; more than `limit` bytes is an UpstreamFailure. Every read counts as progress. */
export async function readText(
  response: UpstreamResponse,
  limit: number,
  watchdog: Watchdog,
): Promise<string> {
  return decodeText(await readBytes(response, limit, watchdog))
}

/** Throws an UpstreamFailure for bytes that are not UTF-8. */
export function decodeText(all: Buffer): string {
  if (!isUtf8(all)) throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not UTF-8 text.' })
  const text = all.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * The complete body; more than `limit` bytes is an UpstreamFailure. Every read counts as progress. A body that came with the
 * headers is returned immediately.
 */
export function readBytes(
  response: UpstreamResponse,
  limit: number,
  watchdog: Watchdog,
): Buffer | Promise<Buffer> {
  return response.isComplete && response.length <= limit
    ? (response.readNews() ?? Buffer.alloc(0))
    : collectBytes(response, limit, watchdog)
}

async function collectBytes(response: UpstreamResponse, limit: number, watchdog: Watchdog): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for (let isLast = false; !isLast; ) {
    isLast = response.isComplete
    const part = await response.read()
    if (!part) break
    parts.push(part)
    size += part.byteLength
    if (size > limit) {
      response.destroy()
      throw new UpstreamFailure({ kind: 'malformed', message: `The answer is over ${limit} bytes.` })
    }
    if (!isLast) watchdog.progress()
  }
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts, size)
}

/** The body of an error response, cut at `limit` bytes. Of an interrupted body, what came before. */
async function readErrorText(response: UpstreamResponse, limit: number, watchdog: Watchdog): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for (let part = await response.read(); part; part = await response.read()) {
      parts.push(part)
      size += part.byteLength
      watchdog.progress()
      if (size >= limit) break
    }
  } catch (error) {
    if (watchdog.failure?.kind === 'aborted') throw error
  }
  return Buffer.concat(parts).subarray(0, limit).toString('utf8')
}

const MAX_ERROR_BYTES = 65_536

/** What the client gets of an error response. */
interface PassedOn {
  headers?: PlainHeaders
  keepsBody?: boolean
}

/** The failure for a response with a status outside 200-299, with the headers that the client gets, too. Not redacted yet. */
export async function readStatusFailure(
  response: UpstreamResponse,
  codec: FormatCodec,
  watchdog: Watchdog,
  clock: Clock,
  { headers: passedHeaders = NO_HEADERS, keepsBody = false }: PassedOn = {},
): Promise<UpstreamFailure> {
  const { status, headers, mediaType } = response
  if (status < 400) {
    response.destroy()
    const message = `The provider answered with a redirect (${status}), which is not followed.`
    return new UpstreamFailure({ kind: 'status', status, message })
  }
  const text = await readErrorText(response, MAX_ERROR_BYTES, watchdog)
  const error = codec.errorBody(mediaType === 'text/html' ? '' : text, response)
  return new UpstreamFailure({
    kind: 'status',
    reason: error.message ? null : 'unexplained',
    status: error.status ?? status,
    code: error.code ?? (status === 429 && error.type === 'insufficient_quota' ? error.type : null),
    param: error.param,
    message: error.message || `The provider answered with status ${status}.`,
    retryAfterMs: readRetryAfter(headers, clock.now()),
    headers: passedHeaders,
    body: keepsBody ? text : null,
  })
}

const LONGEST_MS = 86_400_000

function bounded(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 ? Math.min(Math.ceil(ms), LONGEST_MS) : null
}

/**
 * Milliseconds from `retry-after-ms` (OpenAI, Azure) or `retry-after` (RFC 9110: seconds, or a date); null when
 * neither is there or can be read. `now`: epoch milliseconds. At most a day.
 */
export function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const inMs = headers['retry-after-ms']
  if (typeof inMs === 'string' && /^\d+(\.\d+)?$/.test(inMs.trim())) return bounded(Number(inMs))
  const value = headers['retry-after']?.trim()
  if (!value) return null
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1000)
  // Date.parse takes bare numbers, too: as years.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : bounded(Math.max(0, at - now))
}
