import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { MAX_STORED_BYTES } from '../idempotency/idempotency.ts'
import { type Clock, getTimers, type Timers } from '../platform/clock.ts'
import { GatewayError, invalidRequest, serverError } from '../platform/errors.ts'
import type { PlainHeaders } from '../platform/headers.ts'
import { newRequestId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { ClientDisconnected, type ClientStream, shuttingDown } from '../request/in-flight.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { toClientError } from '../upstream/client-error.ts'
import { commonHeaders, type RequestContext } from './request-context.ts'
import { findErrorFormat } from './routes.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface CompleteResponse {
  status: number
  headers: PlainHeaders
  body: string | Buffer
}

/** Sends a response in one piece. */
export function writeResponse(
  { response, headers: common }: Pick<RequestContext, 'response' | 'headers'>,
  { status, headers, body }: CompleteResponse,
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...common, ...encodeHeaders(headers), 'content-length': length }).end(body)
}

/** Sends an error response. Closes the connection when a response was already started or cannot be sent. */
export function sendError(thrown: unknown, context: RequestContext, log: Log): void {
  const requestLog = log.child({ requestId: context.id })
  writeError(thrown, context, requestLog).catch((err: unknown) => {
    requestLog.error('An error response could not be sent', { err })
    context.response.destroy()
  })
}

async function writeError(thrown: unknown, context: RequestContext, log: Log): Promise<void> {
  const error = toGatewayError(thrown, log)
  const { request, response } = context
  // A complete response that is still being sent may arrive.
  if (response.writableEnded) return
  if (response.headersSent || response.destroyed) return void response.destroy()
  const awaitsContinue = isAwaitingContinue(context)
  // Before the connection is closed, the rest of the body must be read (see drainRequest).
  const closing = !response.shouldKeepAlive
  const drains = !awaitsContinue && (closing || request.readableFlowing !== null || error.status === 413)
  if (drains) await drainRequest(request)
  const headers = {
    ...error.headers,
    'content-type': JSON_TYPE,
    // The rest of the body may still arrive and would be read as the next request.
    ...((awaitsContinue || drains) && !request.complete ? { connection: 'close' } : {}),
  }
  writeResponse(context, { status: error.status, headers, body: formatErrorBody(error, context) })
}

/** Whether the client sent "Expect: 100-continue" and still waits for "100 Continue" before it sends the body. */
function isAwaitingContinue({ request }: RequestContext): boolean {
  return request.headers.expect !== undefined && request.readableFlowing === null && !request.complete
}

const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 5_000

/**
 * Reads and discards the rest of a rejected body. Closing the connection on a client that is still sending resets it, and
 * the client would lose the response. Resolves at the end of the body, or when it is too long or too slow.
 */
function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let remaining = MAX_BYTES
    const stop = () => {
      clearTimeout(timer)
      request.off('data', discard)
      for (const event of ENDS) request.off(event, stop)
      resolve()
    }
    const discard = (chunk: Buffer) => {
      remaining -= chunk.byteLength
      if (remaining < 0) stop()
    }
    const timer = setTimeout(stop, MAX_MS)
    for (const event of ENDS) request.once(event, stop)
    request.on('data', discard)
  })
}

const ENDS = ['end', 'error', 'close'] as const

/** The body of an error response, in the format that clients of this URL expect. */
function formatErrorBody({ status, body }: GatewayError, { id, method, url }: RequestContext): string {
  return JSON.stringify(clientCodecs[findErrorFormat(method, url)].errorBody(body, status, id))
}

/** Temporary failures of the store: nothing was changed, and the same request can succeed later. */
const UNAVAILABLE: Readonly<Partial<Record<StoreErrorCode, string>>> = {
  full: 'The disk is full: nothing was changed. Free some space and try again.',
  locked: 'Another program is using the database of Tollgate: nothing was changed. Close it and try again.',
}

const THREAD_ENDED =
  'A thread of the database could not start, or has ended. If Tollgate was updated while it was running, restart it. The log has the details.'

/**
 * The error response for a thrown value. An unexpected error is logged, and the response contains none of its details;
 * `log` should add the request id.
 */
export function toGatewayError(thrown: unknown, log: Log): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  // The client can no longer read this response.
  if (thrown instanceof ClientDisconnected)
    return invalidRequest('The client disconnected before the request was complete.')
  if (thrown instanceof UpstreamFailure) return new GatewayError(toClientError(thrown))
  if (thrown instanceof StoreError) {
    if (thrown.code === 'closed') return shuttingDown()
    if (thrown.code === 'thread_ended') {
      log.error('A thread of the store could not start, or has ended', { err: thrown })
      return serverError(THREAD_ENDED, 503, 'thread_unavailable')
    }
    const unavailable = UNAVAILABLE[thrown.code]
    if (unavailable) return serverError(unavailable, 503, 'ledger_unavailable')
  }
  log.error('Unexpected error', { err: thrown })
  return serverError('Something went wrong inside Tollgate. The log has the details under this request id.')
}

/** The bytes of the response to a malformed request, for connections without a parsed one. */
export function formatRawErrorResponse(status: number, message: string, more: PlainHeaders = {}): string {
  const body = JSON.stringify({ error: { type: 'invalid_request_error', message } })
  const headers = {
    ...commonHeaders(newRequestId()),
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...more,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}

/**
 * Percent-encodes everything that is not visible ASCII (a model id may contain any character), and "%" itself, as UTF-8.
 * decodeURIComponent restores the value.
 */
export function encodeHeaders(headers: PlainHeaders): Record<string, string> {
  const encoded: Record<string, string> = {}
  for (const name of Object.keys(headers)) encoded[name] = encodeHeader(headers[name] ?? '')
  return encoded
}

function encodeHeader(value: string): string {
  return INVISIBLE.test(value) ? value.toWellFormed().replace(ALL_INVISIBLE, encodeURIComponent) : value
}

const INVISIBLE = /[^\x20-\x24\x26-\x7e]/
const ALL_INVISIBLE = /[^\x20-\x24\x26-\x7e]+/g

/** How long a client may leave a full socket unread before it is disconnected. */
const SLOW_READER_MS = 30_000
/** Bytes that are kept for a client while its stream is read on; one that is further behind is disconnected. */
const MAX_BEHIND = 4 * 1024 * 1024
const KEEP_ALIVE_MS = 15_000

/** Sends an answer over HTTP, with backpressure, keep-alive comments and trailers. */
export class HttpClientStream implements ClientStream {
  readonly #context: Pick<RequestContext, 'response' | 'headers'>
  readonly #raw: ServerResponse
  readonly #timers: Timers
  #hasWritten = false
  #disconnected: boolean
  #onDisconnect: (() => void) | null = null
  /** What a stream has sent; null if that is not recorded. */
  #recorded: Buffer[] | null = null
  #recordedBytes = 0
  #keepAlive: NodeJS.Timeout | null = null
  /** Set while the socket is full. */
  #draining: Promise<void> | null = null

  constructor(context: Pick<RequestContext, 'response' | 'headers'>, clock: Clock) {
    const { response: raw } = context
    this.#context = context
    this.#raw = raw
    this.#timers = getTimers(clock)
    this.#disconnected = isDisconnected(raw)
    raw.once('close', () => {
      this.#stopKeepAlive()
      if (raw.writableFinished || this.#disconnected) return
      this.#disconnected = true
      this.#onDisconnect?.()
    })
    // A reset connection emits 'close' as well, which is handled above.
    raw.on('error', () => undefined)
  }

  get disconnected(): boolean {
    return this.#disconnected
  }

  onDisconnect(listener: () => void): void {
    if (this.#disconnected) listener()
    else this.#onDisconnect = listener
  }

  get started(): boolean {
    return this.#raw.headersSent
  }

  get recorded(): Buffer | null {
    return this.#recorded && Buffer.concat(this.#recorded)
  }

  record(): void {
    this.#recorded ??= []
  }

  send(status: number, headers: PlainHeaders, body: string | Buffer): void {
    writeResponse(this.#context, { status, headers, body })
  }

  /**
   * While nothing is written, comments keep proxies and clients from timing out. An HTTP/1.0 client cannot read
   * trailers: its stream ends with its connection.
   */
  begin(
    headers: PlainHeaders,
    trailers: readonly string[],
    keepAlive: string | null = ': keep-alive\n\n',
  ): void {
    const raw = this.#raw
    const declared: Record<string, string> = raw.useChunkedEncodingByDefault
      ? { trailer: trailers.join(', ') }
      : {}
    const sent = encodeHeaders({ ...streamHeaders, ...headers, ...declared })
    raw.writeHead(200, { ...this.#context.headers, ...sent })
    // Usually the first bytes follow immediately, and are sent with the headers.
    process.nextTick(() => this.#flushHeaders())
    if (keepAlive === null) return
    this.#keepAlive = this.#timers.setInterval(() => raw.write(keepAlive), KEEP_ALIVE_MS)
    this.#keepAlive.unref()
  }

  async write(data: string | Buffer, aborted: AbortSignal): Promise<void> {
    this.#hasWritten = true
    this.#copy(data)
    this.#keepAlive?.refresh()
    if (this.#disconnected || this.#raw.write(data) || aborted.aborted) return
    if (this.#draining && this.#raw.writableLength > MAX_BEHIND) this.#raw.destroy()
    this.#draining ??= this.#drained(aborted)
    await this.#draining
  }

  end(last: string, trailers: PlainHeaders): void {
    this.#stopKeepAlive()
    if (this.#disconnected || this.#raw.writableEnded) return
    if (this.#raw.chunkedEncoding) this.#raw.addTrailers(encodeHeaders(trailers))
    this.#raw.end(last)
  }

  endAndClose(last: string, trailers: PlainHeaders): void {
    // Read here: when 'finish' is emitted, Node has already detached the socket from the response.
    const { socket } = this.#raw
    this.#raw.once('finish', () => socket?.end())
    this.end(last, trailers)
  }

  abort(): void {
    this.#stopKeepAlive()
    // Buffered data is still sent; the end of the chunked body is missing.
    const { socket } = this.#raw
    socket?.end(() => socket.destroy())
  }

  #copy(data: string | Buffer): void {
    if (!this.#recorded) return
    this.#recordedBytes += Buffer.byteLength(data)
    if (this.#recordedBytes > MAX_STORED_BYTES) this.#recorded = null
    else this.#recorded.push(Buffer.from(data))
  }

  #flushHeaders(): void {
    if (!this.#hasWritten && !this.#raw.writableEnded && !this.#raw.destroyed) this.#raw.flushHeaders()
  }

  #stopKeepAlive(): void {
    this.#timers.clear(this.#keepAlive)
    this.#keepAlive = null
  }

  #drained(aborted: AbortSignal): Promise<void> {
    const raw = this.#raw
    return new Promise((resolve) => {
      const done = () => {
        this.#timers.clear(timer)
        raw.off('drain', done)
        raw.off('close', done)
        aborted.removeEventListener('abort', done)
        this.#draining = null
        resolve()
      }
      const timer = this.#timers.setTimeout(() => raw.destroy(), SLOW_READER_MS)
      raw.once('drain', done)
      raw.once('close', done)
      aborted.addEventListener('abort', done)
    })
  }
}

/** Whether the client has disconnected already; no event will say so again. */
export function isDisconnected(raw: ServerResponse): boolean {
  return raw.destroyed || raw.closed
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
