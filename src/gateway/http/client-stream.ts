import type { ServerResponse } from 'node:http'
import { MAX_STORED_BYTES } from '../idempotency/idempotency.ts'
import { type Clock, type Timers, timersOf } from '../platform/clock.ts'
import type { ClientStream } from '../request/in-flight.ts'
import type { RequestContext } from './request-context.ts'
import { encodeHeaders, writeResponse } from './send-response.ts'

/** How long a client may leave a full socket unread before it is disconnected. */
const SLOW_READER_MS = 30_000
const KEEP_ALIVE_MS = 15_000

/** Sends an answer over HTTP, with backpressure, keep-alive comments and trailers. */
export class HttpClientStream implements ClientStream {
  readonly #context: Pick<RequestContext, 'response' | 'headers'>
  readonly #raw: ServerResponse
  readonly #timers: Timers
  #hasWritten = false
  #disconnected: boolean
  #onDisconnect: (() => void) | null = null
  #recorded: Buffer[] | null
  #recordedBytes = 0
  #keepAlive: NodeJS.Timeout | null = null

  /** `record`: copies what a stream sends, for a later replay, until it is too long to be stored. */
  constructor(context: Pick<RequestContext, 'response' | 'headers'>, record: boolean, clock: Clock) {
    const { response: raw } = context
    this.#context = context
    this.#raw = raw
    this.#timers = timersOf(clock)
    this.#recorded = record ? [] : null
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

  send(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void {
    writeResponse(this.#context, { status, headers, body })
  }

  /**
   * While nothing is written, comments keep proxies and clients from timing out. An HTTP/1.0 client cannot read
   * trailers: its stream ends with its connection.
   */
  begin(
    headers: Readonly<Record<string, string>>,
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
    this.#record(data)
    this.#keepAlive?.refresh()
    if (this.#disconnected || this.#raw.write(data) || aborted.aborted) return
    await this.#drained(aborted)
  }

  end(last: string, trailers: Readonly<Record<string, string>>): void {
    this.#stopKeepAlive()
    if (this.#disconnected || this.#raw.writableEnded) return
    if (this.#raw.chunkedEncoding) this.#raw.addTrailers(encodeHeaders(trailers))
    this.#raw.end(last)
  }

  endAndClose(last: string, trailers: Readonly<Record<string, string>>): void {
    // Read here: when 'finish' is emitted, Node has already detached the socket from the response.
    const { socket } = this.#raw
    this.#raw.once('finish', () => socket?.end())
    this.end(last, trailers)
  }

  abort(): void {
    this.#stopKeepAlive()
    // What was written before is still sent; the end of the chunked body is missing.
    const { socket } = this.#raw
    socket?.end(() => socket.destroy())
  }

  #record(data: string | Buffer): void {
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
