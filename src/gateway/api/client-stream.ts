// Owns the bytes that go to one client: a JSON answer or a stream with backpressure and trailers.
// Knows nothing of what they say. A client that leaves or stops reading aborts `signal`.
import type { ServerResponse } from 'node:http'
import { ClientGone } from '../inference/in-flight.ts'
import { MAX_KEPT_BYTES } from '../inference/settlement.ts'
import { safeHeaders } from './response-headers.ts'
import { sendWhole } from './send-response.ts'

/** How long a client may leave a full socket unread before it is cut off. */
const SLOW_READER_MS = 30_000
const KEEP_ALIVE_MS = 15_000

export class Reply {
  readonly #raw: ServerResponse
  readonly #gone = new AbortController()
  #recorded: string[] | null
  #recordedBytes = 0
  #keepAlive: NodeJS.Timeout | null = null

  /** `record`: keeps a copy of what a stream sends, for a later replay, unless it grows too long to be kept. */
  constructor(raw: ServerResponse, record: boolean) {
    this.#raw = raw
    this.#recorded = record ? [] : null
    raw.once('close', () => {
      this.#stopKeepAlive()
      if (!raw.writableFinished) this.#gone.abort(new ClientGone())
    })
    if (hasLeft(raw)) this.#gone.abort(new ClientGone())
    // A reset connection is the client's leave-taking, told by 'close' as well.
    raw.on('error', () => undefined)
  }

  /** Aborts when the client leaves before the answer is complete. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  get started(): boolean {
    return this.#raw.headersSent
  }

  /** Everything a stream has sent so far; null when that is not recorded. */
  get recorded(): string | null {
    return this.#recorded?.join('') ?? null
  }

  whole(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): void {
    sendWhole(this.#raw, { status, headers, body })
  }

  /**
   * Starts a server-sent-event stream. While nothing is written, comments keep proxies and clients from giving up.
   * `trailers` names what `end` will tell. An HTTP/1.0 client has no trailers: its stream ends with its connection.
   */
  begin(headers: Readonly<Record<string, string>>, trailers: readonly string[]): void {
    const raw = this.#raw
    const declared: Record<string, string> = raw.useChunkedEncodingByDefault
      ? { trailer: trailers.join(', ') }
      : {}
    raw.writeHead(200, safeHeaders({ ...streamHeaders, ...headers, ...declared }))
    raw.flushHeaders()
    this.#keepAlive = setInterval(() => raw.write(': keep-alive\n\n'), KEEP_ALIVE_MS)
    this.#keepAlive.unref()
  }

  /**
   * Sends text, and resolves when more may be sent, or when `ended` aborts. Never rejects: a client that left is told
   * by `signal`.
   */
  async write(text: string, ended: AbortSignal): Promise<void> {
    this.#record(text)
    this.#keepAlive?.refresh()
    if (this.signal.aborted || this.#raw.write(text) || ended.aborted) return
    await this.#drained(ended)
  }

  end(last: string, trailers: Readonly<Record<string, string>>): void {
    this.#stopKeepAlive()
    if (this.signal.aborted || this.#raw.writableEnded) return
    if (this.#raw.chunkedEncoding) this.#raw.addTrailers(safeHeaders(trailers))
    this.#raw.end(last)
  }

  /** The last words of a stream that failed, after which the connection closes. */
  breakOff(last: string, trailers: Readonly<Record<string, string>>): void {
    // Kept here: when 'finish' comes, Node has already taken the socket from the response.
    const { socket } = this.#raw
    this.#raw.once('finish', () => socket?.end())
    this.end(last, trailers)
  }

  #record(text: string): void {
    this.#recordedBytes += Buffer.byteLength(text)
    if (this.#recordedBytes > MAX_KEPT_BYTES) this.#recorded = null
    this.#recorded?.push(text)
  }

  #stopKeepAlive(): void {
    if (this.#keepAlive) clearInterval(this.#keepAlive)
    this.#keepAlive = null
  }

  #drained(ended: AbortSignal): Promise<void> {
    const raw = this.#raw
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        raw.off('drain', done)
        raw.off('close', done)
        ended.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(() => raw.destroy(), SLOW_READER_MS)
      raw.once('drain', done)
      raw.once('close', done)
      ended.addEventListener('abort', done)
    })
  }
}

/** Whether the client has hung up already: nothing will tell so any more. */
export function hasLeft(raw: ServerResponse): boolean {
  return raw.destroyed || raw.closed
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
