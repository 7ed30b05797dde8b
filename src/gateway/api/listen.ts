// Owns the loopback sockets: 127.0.0.1 and ::1 on one port.
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpServer } from './connections.ts'

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
  const server = createHttpServer(handler)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error)
    })
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}
