// One HTTP exchange of a client with the gateway, without a socket: Node's own classes, whose bytes stay in memory.
import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

export interface ClientRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** The part of a response that a client has seen so far. */
export interface SeenResponse {
  status: number | null
  headers: Record<string, string>
  text: string
  trailers: Record<string, string>
  /** The response is complete. */
  isComplete: boolean
  /** The connection is closed, by either side. */
  isClosed: boolean
}

class MemorySocket extends Socket {
  onEnd: () => void = () => undefined

  override end(...args: unknown[]): this {
    this.onEnd()
    const done = args.at(-1)
    if (typeof done === 'function') process.nextTick(() => Reflect.apply(done, undefined, []))
    return this
  }
}

/** Records what is written to it. */
class MemoryResponse extends ServerResponse {
  readonly seen: SeenResponse
  readonly #slow: () => boolean
  override statusCode = 200
  override headersSent = false
  override writableEnded = false
  override writableFinished = false
  override destroyed = false
  override closed = false
  override useChunkedEncodingByDefault = true
  override chunkedEncoding = true
  override shouldKeepAlive = true
  override readonly socket: Socket

  /** `slow`: whether the client's buffer is full after a write. */
  constructor(request: IncomingMessage, seen: SeenResponse, slow: () => boolean) {
    super(request)
    this.seen = seen
    this.#slow = slow
    this.socket = request.socket
  }

  override writeHead(status: number, ...more: unknown[]): this {
    this.statusCode = status
    this.headersSent = true
    this.seen.status = status
    const headers = more.at(-1)
    if (isHeaders(headers))
      for (const [name, value] of Object.entries(headers))
        this.seen.headers[name.toLowerCase()] = String(value)
    return this
  }

  override flushHeaders(): void {}

  override write(data: unknown): boolean {
    if (!this.closed) this.seen.text += String(data)
    return !this.#slow()
  }

  override addTrailers(trailers: OutgoingHttpHeaders | readonly [string, string][]): void {
    for (const [name, value] of Object.entries(trailers))
      this.seen.trailers[name.toLowerCase()] = String(value)
  }

  override end(...args: unknown[]): this {
    if (this.writableEnded) return this
    this.writableEnded = true
    const [last] = args
    if (this.closed) return this
    if (typeof last === 'string' || Buffer.isBuffer(last)) this.seen.text += String(last)
    this.seen.isComplete = true
    this.writableFinished = true
    this.emit('finish')
    this.close()
    return this
  }

  override destroy(): this {
    this.close()
    return this
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.destroyed = true
    this.seen.isClosed = true
    this.emit('close')
  }
}

function isHeaders(value: unknown): value is Record<string, OutgoingHttpHeader> {
  return typeof value === 'object' && value !== null
}

export interface ClientExchange {
  readonly seen: SeenResponse
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The client can take more. */
  drain(): void
  /** The client closes its connection. */
  hangUp(): void
}

export function openExchange(
  { method, path, headers, body }: ClientRequest,
  slow: () => boolean,
): ClientExchange {
  const socket = new MemorySocket()
  const request = new IncomingMessage(socket)
  request.method = method
  request.url = path
  request.httpVersion = '1.1'
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const sent: Record<string, string> = { host: '127.0.0.1:0', ...headers, ...(body === '' ? {} : length) }
  request.headers = sent
  request.rawHeaders = Object.entries(sent).flat()
  const seen: SeenResponse = {
    status: null,
    headers: {},
    text: '',
    trailers: {},
    isComplete: false,
    isClosed: false,
  }
  const response = new MemoryResponse(request, seen, slow)
  socket.onEnd = () => response.close()
  request.complete = true
  if (body !== '') request.push(body)
  request.push(null)
  return {
    seen,
    request,
    response,
    drain: () => void response.emit('drain'),
    hangUp() {
      response.close()
      request.emit('close')
    },
  }
}

interface JsonRequest {
  method: string
  path: string
  body: object | undefined
}

/** Sends JSON without credentials, as the window does. */
export function sendJson(
  { method, path, body }: JsonRequest,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  onClosed?: (seen: SeenResponse) => void,
): SeenResponse {
  const headers = { 'content-type': 'application/json' }
  const text = body === undefined ? '' : JSON.stringify(body)
  const { request, response, seen } = openExchange({ method, path, headers, body: text }, () => false)
  response.once('close', () => onClosed?.(seen))
  listener(request, response)
  return seen
}
