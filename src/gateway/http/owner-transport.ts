import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  request as sendRequest,
} from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'

const STATUS_WITHOUT_BODY = new Set([101, 204, 205, 304])
/** A body that may be too large for the memory. */
const FILE_TYPE = /^application\/(vnd\.sqlite3|octet-stream)/
const EVENT_TYPE = /^text\/event-stream/
const FRAME_MS = 16
/** The window is no attacker; its queries may be long. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024

export type FetchAsOwner = (request: Request) => Promise<Response>

/**
 * Handles requests inside this process, as the owner: over connections in memory, to a server that does not listen.
 * No request over TCP reaches `handler`.
 */
export function createOwnerTransport(handler: RequestListener): FetchAsOwner {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }, handler)
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const isFile = FILE_TYPE.test(request.headers.get('content-type') ?? '')
    const payload = request.body && !isFile ? Buffer.from(await request.arrayBuffer()) : undefined
    const outgoing = sendRequest({
      createConnection: () => connectInMemory(server),
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      signal: request.signal,
    })
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).on('error', reject)
      if (isFile && request.body) pipeline(request.body, outgoing).catch(reject)
      else outgoing.end(payload)
    })
    return toResponse(incoming, () => outgoing.destroy())
  }
}

/** A connection to a server that does not listen. */
export function connectInMemory(server: Server): Duplex {
  const [near, far] = duplexPair()
  near.once('close', () => far.destroy())
  far.once('close', () => {
    if (!far.writableFinished) near.destroy()
  })
  server.emit('connection', far)
  return near
}

function toResponse(incoming: IncomingMessage, cancel: () => void): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    // These describe the inner connection, which does not exist for the caller.
    if (value !== undefined && name !== 'transfer-encoding' && name !== 'connection')
      headers.set(name, String(value))
  }
  const status = incoming.statusCode ?? 500
  const isEmpty = STATUS_WITHOUT_BODY.has(status)
  if (isEmpty) incoming.resume()
  return new Response(isEmpty ? null : createCancelableBody(incoming, cancel), { status, headers })
}

/**
 * When the window stops reading, Chromium cancels the body rather than the request. Events that come within one frame are
 * passed on together: each chunk wakes the window's threads.
 */
function createCancelableBody(incoming: IncomingMessage, cancel: () => void): ReadableStream<Uint8Array> {
  const isEventStream = EVENT_TYPE.test(incoming.headers['content-type'] ?? '')
  // It reads everything that has come.
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]()
  let pause: Promise<unknown> | null = null
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
      if (isEventStream) pause = delay(FRAME_MS, undefined, { ref: false })
    },
    cancel,
  })
}
