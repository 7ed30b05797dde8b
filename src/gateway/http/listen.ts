// Owns the loopback sockets: 127.0.0.1 and ::1 on one port, their time-outs, and what is said before there is a request.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { newRequestId, requestIdHeaders } from '../ids.ts'
import { rawErrorResponse } from './errors.ts'

export interface Listening {
  port: number
  /** `http://127.0.0.1:PORT` */
  baseUrl: string
}

/** The wanted port is held by another program. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
  readonly port: number
  constructor(port: number) {
    super(`Port ${port} on the loopback interface is used by another program.`)
    this.port = port
  }
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than common clients keep idle connections, so that it is they who close them. */
const KEEP_ALIVE_MS = 65_000
const FREE_PORT_TRIES = 20
/** For the last bytes of answers that are done, before their connections are cut. */
const FLUSH_MS = 1_000

export class Listeners {
  #servers: Server[] = []
  /** No longer listening; they still have connections. */
  readonly #leaving = new Set<Server>()
  port = 0

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Throws PortTakenError when either address of the port is held by another program. */
  async listen(handler: RequestListener, port: number): Promise<Listening> {
    this.close()
    for (let tries = 1; ; tries++) {
      try {
        await this.#bind(handler, port)
        return { port: this.port, baseUrl: this.baseUrl }
      } catch (error) {
        this.close()
        // A free port on IPv4 may be taken on IPv6.
        if (!(error instanceof PortTakenError) || port !== 0 || tries === FREE_PORT_TRIES) throw error
      }
    }
  }

  /** Frees the port and closes idle connections; running answers go on. */
  close(): void {
    for (const server of this.#servers) {
      this.#leaving.add(server)
      server.close(() => this.#leaving.delete(server))
    }
    this.#servers = []
    this.port = 0
  }

  /** Closes, and ends every connection; one whose last answer is still on its way has a second for it. */
  async end(): Promise<void> {
    this.close()
    const servers = [...this.#leaving]
    const ended = Promise.all(servers.map((server) => once(server, 'close')))
    for (const server of servers) server.closeIdleConnections()
    await Promise.race([ended, delay(FLUSH_MS, undefined, { ref: false })])
    for (const server of servers) server.closeAllConnections()
    await ended
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
  // Whoever reads the body says "100 Continue": the request may be refused before.
  server.on('checkContinue', handler)
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
