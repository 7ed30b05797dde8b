// Owns the loopback sockets: 127.0.0.1 and ::1 on one port, their time-outs, and what is said before there is a request.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Listening, PortTakenError } from '../gateway.ts'
import { newRequestId, requestIdHeaders } from '../ids.ts'
import { rawErrorResponse } from './errors.ts'

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than common clients keep idle connections, so that it is they who close them. */
const KEEP_ALIVE_MS = 65_000
const FREE_PORT_TRIES = 20

export class Listeners {
  #servers: Server[] = []
  port = 0

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Throws PortTakenError when either address of the port is held by another program. */
  async listen(handler: RequestListener, port: number): Promise<Listening> {
    await this.close()
    for (let tries = 1; ; tries++) {
      try {
        await this.#bind(handler, port)
        return { port: this.port, baseUrl: this.baseUrl }
      } catch (error) {
        await this.close()
        // A free port on IPv4 may be taken on IPv6.
        if (!(error instanceof PortTakenError) || port !== 0 || tries === FREE_PORT_TRIES) throw error
      }
    }
  }

  /** Refuses new connections and closes idle ones; running answers go on. */
  async close(): Promise<void> {
    const servers = this.#servers
    this.#servers = []
    this.port = 0
    await Promise.all(
      servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeIdleConnections()
          }),
      ),
    )
  }

  /** Ends every connection at once. */
  destroyConnections(): void {
    for (const server of this.#servers) server.closeAllConnections()
  }

  async #bind(handler: RequestListener, port: number): Promise<void> {
    const v4 = await bind(handler, '127.0.0.1', port)
    this.#servers.push(v4)
    this.port = (v4.address() as AddressInfo).port
    // The IPv6 side too, so that no other program can sit there and be taken for Tollgate.
    const v6 = await bind(handler, '::1', this.port).catch((error: unknown) => {
      if (error instanceof PortTakenError) throw error
      return null
    })
    if (v6) this.#servers.push(v6)
  }
}

function bind(handler: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A missing Host is answered by the door, with a request id.
      requireHostHeader: false,
    },
    handler,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy()
    const { status, text, message } = clientFault(error.code)
    socket.end(rawErrorResponse(status, text, { type: 'invalid_request_error', message }, newRequestId()))
    return undefined
  })
  server.on('checkExpectation', (_request, response) => {
    const id = newRequestId()
    const message = 'This Expect header is not supported. Send the request without it.'
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8', ...requestIdHeaders(id) })
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }))
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error)
    })
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}

/** What Node's own parser refuses, before there is a request. */
function clientFault(code: string | undefined): { status: number; text: string; message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, text: 'Request Timeout', message: 'The request did not arrive in time.' }
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
