// Owns the connections of one loopback server: how long they may take for what, and what is said on them before there
// is a request. Knows nothing of what is asked.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { newRequestId } from '../platform/ids.ts'
import { rawErrorResponse } from './errors.ts'
import { commonHeaders } from './response-headers.ts'
import { JSON_TYPE, sendWhole } from './send-response.ts'

export const TIMEOUTS = {
  headMs: 10_000,
  requestMs: 60_000,
  /** How often both are looked after. */
  checkMs: 1_000,
  /** How long a client may leave an answer unread before it is cut off. */
  unreadMs: 30_000,
  /** Longer than common clients keep idle connections, so that it is they who close them. */
  idleMs: 65_000,
  /** How long a client that was told off has for the answer. */
  lingerMs: 1_000,
}

export function createHttpServer(handler: RequestListener, timeouts = TIMEOUTS): Server {
  const answers = new WeakMap<Duplex, Set<ServerResponse>>()
  const latest = new WeakMap<Duplex, ServerResponse>()
  const listener: RequestListener = (request, response) => {
    const open = answers.get(request.socket) ?? new Set()
    answers.set(request.socket, open.add(response))
    latest.set(request.socket, response)
    response.once('close', () => open.delete(response))
    handler(request, response)
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: timeouts.idleMs,
      // A missing Host is answered by the door, with a request id.
      requireHostHeader: false,
    },
    listener,
  )
  // Node looks whether a write makes progress and calls this at the second look without any.
  server.setTimeout(timeouts.unreadMs / 2, (socket) => {
    const waits = (answers.get(socket)?.size ?? 0) > 0 && socket.writableLength === 0
    if (waits) socket.setTimeout(timeouts.unreadMs / 2)
    else socket.destroy()
  })
  const told = new WeakSet<Duplex>()
  server.on('clientError', (error: ParserError, socket) => {
    // Answers to whole requests that came before.
    const earlier = [...(answers.get(socket) ?? [])].filter(({ req }) => req.complete)
    const left = error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && earlier.length > 0)
    if (!socket.writable || left) return socket.destroy()
    if (told.has(socket)) return
    told.add(socket)
    const ended = earlier.map((answer) => new Promise((resolve) => answer.once('close', resolve)))
    void Promise.all(ended).then(() =>
      // Whoever refuses the request for its head does so first: then it has its answer.
      setImmediate(() => {
        const last = latest.get(socket)
        if (last?.headersSent && !last.req.complete) endSoon(socket, timeouts.lingerMs)
        else {
          const method = last?.req.complete === false ? last.req.method : methodIn(error)
          tellOff(socket, error.code, timeouts.lingerMs, method)
        }
      }),
    )
    return undefined
  })
  // Whoever reads the body says "100 Continue": the request may be refused before.
  server.on('checkContinue', listener)
  server.on('checkExpectation', refuseExpectation)
  return server
}

/** What Node says of a request that its parser gave up on. */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
  bytesParsed?: number
}

/** The method of the request that could not be read, as far as it came. */
function methodIn({ rawPacket, bytesParsed }: ParserError): string {
  const read = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  const lines = read.match(/^[A-Z]{1,20} \S+ HTTP\/1\.[01]/gm)
  return lines?.at(-1)?.split(' ', 1)[0] ?? ''
}

/** The last words on a connection that nothing more can be read from. A HEAD gets the head of them. */
function tellOff(socket: Duplex, code: string | undefined, lingerMs: number, method = ''): void {
  if (!socket.writable) return void socket.destroy()
  const { status, text, message } = clientFault(code)
  const whole = rawErrorResponse(status, text, { type: 'invalid_request_error', message }, newRequestId())
  socket.write(method === 'HEAD' ? whole.slice(0, whole.indexOf('\r\n\r\n') + 4) : whole)
  endSoon(socket, lingerMs)
}

/** Lets what was written reach the client, and closes. */
function endSoon(socket: Duplex, lingerMs: number): void {
  socket.end()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const message = 'This Expect header is not supported. Send the request without it.'
  sendWhole(response, {
    status: 417,
    headers: { ...commonHeaders(newRequestId()), 'content-type': JSON_TYPE, connection: 'close' },
    body: JSON.stringify({ error: { type: 'invalid_request_error', message } }),
  })
}

/** What Node's own parser refuses, before there is a request. */
function clientFault(code: string | undefined): { status: number; text: string; message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      // Not 408, which says that an upstream took too long and is worth a retry.
      return {
        status: 400,
        text: 'Bad Request',
        message: 'The request did not arrive in time: its headers may take 10 seconds, and all of it 60.',
      }
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 431,
        text: 'Request Header Fields Too Large',
        message: 'The request headers are too large.',
      }
    default:
      return { status: 400, text: 'Bad Request', message: 'This is not a well-formed HTTP request.' }
  }
}
