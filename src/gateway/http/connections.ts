import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestContext } from './request-context.ts'
import { formatRawErrorResponse, JSON_TYPE, writeResponse } from './send-response.ts'
import type { Upgrades } from './websockets.ts'

export const TIMEOUTS = {
  headMs: 10_000,
  requestMs: 60_000,
  /** How often `headMs` and `requestMs` are checked. */
  checkMs: 1_000,
  /** How long a client may leave a response unread before the connection is closed. */
  unreadMs: 30_000,
  /** Longer than common clients keep idle connections, so that the clients close them. */
  idleMs: 65_000,
  /** How long a client has to read the error response before the socket is destroyed. */
  lingerMs: 1_000,
}

/** An HTTP server with timeouts that answers malformed requests, which have no parsed request, itself. */
export function createHttpServer(
  handler: RequestListener,
  timeouts = TIMEOUTS,
  upgrades: Upgrades | null = null,
): Server {
  /** The responses of each connection that are not closed, and the last one. */
  const responses = new WeakMap<Duplex, ServerResponse[]>()
  const openResponses = (socket: Duplex) => (responses.get(socket) ?? []).filter(({ closed }) => !closed)
  const listener: RequestListener = (request, response) => {
    const { socket } = request
    // The client used the connection again while it was being closed. It would pay for an answer that cannot be sent.
    if (socket.writableEnded) return void socket.destroy()
    const earlier = responses.get(socket)
    if (!earlier) responses.set(socket, [response])
    // A client that waits for each response has one here, which is closed.
    else if (earlier.length === 1 && earlier[0]?.closed) earlier[0] = response
    else responses.set(socket, [...openResponses(socket), response])
    handler(request, response)
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: timeouts.idleMs,
      // The origin guard rejects a missing Host, with a request id.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => upgrades?.accepts(request) ?? false,
    },
    listener,
  )
  // Older versions of Node do not know the option: with a listener, they would take every request to upgrade from the handler,
  // such as those of Java's client, which only offers HTTP/2.
  if (upgrades && 'shouldUpgradeCallback' in server)
    server.on('upgrade', (request, socket, head) => upgrades.serve(request, socket, head))
  // Node calls this when two checks in a row found no progress of a write.
  server.setTimeout(timeouts.unreadMs / 2, (socket) => {
    const gatewayIsWorking = openResponses(socket).length > 0 && socket.writableLength === 0
    if (gatewayIsWorking) socket.setTimeout(timeouts.unreadMs / 2)
    else socket.destroy()
  })
  const failed = new WeakSet<Duplex>()
  server.on('clientError', (error: ParserError, socket) => {
    // Responses to earlier, complete requests on this connection (pipelining).
    const earlier = openResponses(socket).filter(({ req }) => req.complete)
    const disconnected =
      error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && earlier.length > 0)
    if (!socket.writable || disconnected) return socket.destroy()
    if (failed.has(socket)) return
    failed.add(socket)
    const finished = earlier.map((response) => new Promise((resolve) => response.once('close', resolve)))
    void Promise.all(finished).then(() =>
      // The request may have been rejected for its headers in this tick, and then already has a response.
      setImmediate(() => {
        const last = responses.get(socket)?.at(-1)
        if (last?.headersSent && !last.req.complete) endSocket(socket, timeouts.lingerMs)
        else {
          const method = last?.req.complete === false ? last.req.method : parseMethod(error)
          sendParserError(socket, error.code, timeouts.lingerMs, method)
        }
      }),
    )
    return undefined
  })
  // "100 Continue" is sent when the body is read, as the request may be rejected before that.
  server.on('checkContinue', listener)
  server.on('checkExpectation', rejectExpectation)
  return server
}

/** The error of Node's HTTP parser. */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
  bytesParsed?: number
}

/** The method of the request that could not be parsed; empty if that was not received. */
function parseMethod({ rawPacket, bytesParsed }: ParserError): string {
  const read = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  const lines = read.match(/^[A-Z]{1,20} \S+ HTTP\/1\.[01]/gm)
  return lines?.at(-1)?.split(' ', 1)[0] ?? ''
}

/** Sends the error response for a request that could not be parsed, and closes the connection. HEAD gets only the headers. */
function sendParserError(socket: Duplex, code: string | undefined, lingerMs: number, method = ''): void {
  if (!socket.writable) return void socket.destroy()
  const [status, message] = PARSER_ERRORS[code ?? ''] ?? NOT_WELL_FORMED
  const response = formatRawErrorResponse(status, message)
  socket.write(method === 'HEAD' ? response.slice(0, response.indexOf('\r\n\r\n') + 4) : response)
  endSocket(socket, lingerMs)
}

/** Closes a socket, and destroys it if the client has not read everything in time. */
function endSocket(socket: Duplex, lingerMs: number): void {
  socket.end()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function rejectExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = 'This Expect header is not supported. Send the request without it.'
  writeResponse(new RequestContext(request, response, false), {
    status: 417,
    headers: { 'content-type': JSON_TYPE, connection: 'close' },
    body: JSON.stringify({ error: { type: 'invalid_request_error', message } }),
  })
}

type ParserResponse = readonly [status: number, message: string]

const NOT_WELL_FORMED: ParserResponse = [400, 'This is not a well-formed HTTP request.']

/** The responses for error codes of Node's HTTP parser. */
const PARSER_ERRORS: Readonly<Record<string, ParserResponse>> = {
  // Not 408: clients retry it, and here it means that an upstream timed out.
  ERR_HTTP_REQUEST_TIMEOUT: [
    400,
    'The request took too long to arrive. The limits are 10 seconds for the headers and 60 seconds in total.',
  ],
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
}
