// The doors of the gateway. A program that passes them can spend the user's money, read stored prompts and,
// with an admin key, change credentials of providers and restore databases; any web page and any local program can try. The controls, in order:
// - Only loopback is listened on, unless the host names an address at the start or the user enables Docker's bridge
//   (container-listener.ts). The owner's socket has the mode 0600; requests of the window come from inside the process.
// - Timeouts end slow and idle connections, and malformed requests are answered without being parsed further (connections.ts).
// - Host, Origin, Sec-Fetch-Site, repeated headers and unusual paths are checked before anything else (origin-guard.ts).
// - A key that is valid, in a header and not in the URL, with a scope that the operation accepts (auth.ts).
// - Bodies have limits of size and of memory per key, and their JSON is strict (read-body.ts, json-body.ts).
// - Responses are neither cached nor sniffed, and an unexpected error shows no details (send-response.ts).
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpServer, TIMEOUTS } from './connections.ts'
import type { Upgrades } from './websockets.ts'

export interface ListenAddress {
  port: number
  /** `http://127.0.0.1:PORT` */
  baseUrl: string
}

export interface AdditionalAddress {
  address: string
  accepts: (remoteAddress: string) => boolean
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']

/** The port is in use by another program. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
  readonly port: number
  constructor(port: number, host = '127.0.0.1') {
    const where = LOOPBACK.includes(host) ? 'the loopback interface' : host
    super(`Port ${port} on ${where} is used by another program.`)
    this.port = port
  }
}

/**
 * How many connections may wait until they are accepted, at most as many as the system allows (4,096 on Linux). With Node's default
 * of 511, others of a burst are tried again after seconds, until a proxy in front of the gateway answers 504.
 */
const BACKLOG = 4_096
const MAX_FREE_PORT_ATTEMPTS = 20
/** How long finished responses have to reach their clients before the connections are closed. */
const FLUSH_MS = 1_000

/** The listeners on 127.0.0.1, ::1 and perhaps another address, on the same port. */
export class Listeners {
  readonly #addresses: readonly string[]
  #servers: Server[] = []
  /** The one for containers. */
  #additional: { address: string; server: Server } | null = null
  /** The one on a Unix socket or named pipe. */
  #local: Server | null = null
  /** Servers that no longer listen but still have connections. */
  readonly #closing = new Set<Server>()
  port = 0
  /** The requests to upgrade that are served over TCP; null for none. */
  upgrades: Upgrades | null = null

  /** `address` is one to listen on besides loopback; null for none. */
  constructor(address: string | null = null) {
    this.#addresses = listenAddresses(address)
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Throws PortTakenError when the port is in use on either address. */
  async listen(handler: RequestListener, port: number): Promise<ListenAddress> {
    this.close()
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#bind(handler, port)
        return { port: this.port, baseUrl: this.baseUrl }
      } catch (error) {
        this.close()
        // The port that the system chose on IPv4 may be in use on IPv6.
        if (!(error instanceof PortTakenError) || port !== 0 || attempt === MAX_FREE_PORT_ATTEMPTS)
          throw error
      }
    }
  }

  /**
   * Listens on one more address, on the same port, or stops that. Connections from addresses that are not accepted are closed.
   * Throws PortTakenError when the port is in use there.
   */
  async listenAlso(handler: RequestListener, also: AdditionalAddress | null): Promise<void> {
    const address = also?.address ?? null
    const current = this.#additional
    const port = current?.server.listening ? readAddress(current.server).port : 0
    if (current && current.address === address && port === this.port) return
    this.#additional = null
    if (current) this.#retire(current.server)
    if (also === null || this.port === 0) return
    const server = await this.#open(handler, also.address, this.port)
    server.on('connection', (socket) => {
      if (!also.accepts(socket.remoteAddress ?? '')) socket.destroy()
    })
    this.#additional = { address: also.address, server }
  }

  /**
   * Also serves `handler` on a Unix socket, which only this user may open, or a Windows pipe, until `end`. Nothing may
   * have that name yet.
   */
  async listenLocally(handler: RequestListener, path: string): Promise<void> {
    const server = createHttpServer(handler)
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, BACKLOG, resolve))
    if (process.platform !== 'win32') chmodSync(path, 0o600)
    this.#local = server
  }

  /** Frees the port and closes idle connections to it. Running responses continue. */
  close(): void {
    for (const server of this.#servers) this.#retire(server)
    if (this.#additional) this.#retire(this.#additional.server)
    this.#additional = null
    this.#servers = []
    this.port = 0
  }

  /** Stops listening and closes every connection, after at most a second for responses that are still being sent. */
  async end(): Promise<void> {
    this.close()
    if (this.#local) this.#retire(this.#local)
    this.#local = null
    const servers = [...this.#closing]
    const ended = Promise.all(servers.map((server) => once(server, 'close')))
    for (const server of servers) server.closeIdleConnections()
    await Promise.race([ended, delay(FLUSH_MS, undefined, { ref: false })])
    for (const server of servers) server.closeAllConnections()
    await ended
  }

  #retire(server: Server): void {
    this.#closing.add(server)
    server.close(() => this.#closing.delete(server))
  }

  #open(handler: RequestListener, host: string, port: number): Promise<Server> {
    const server = createHttpServer(handler, TIMEOUTS, this.upgrades)
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        reject(error.code === 'EADDRINUSE' ? new PortTakenError(port, host) : error)
      })
      server.listen({ host, port, backlog: BACKLOG, exclusive: true }, () => resolve(server))
    })
  }

  async #bind(handler: RequestListener, port: number): Promise<void> {
    for (const address of this.#addresses) {
      const server = await this.#open(handler, address, this.port || port).catch((error: unknown) => {
        if (error instanceof PortTakenError) throw error
        // A machine without IPv6.
        if (address === '::1') return null
        throw isUnavailable(error) ? new Error(unknownAddress(address)) : error
      })
      if (server === null) continue
      this.#servers.push(server)
      this.port = readAddress(server).port
    }
  }
}

/** IPv6 too, so that no other program can listen there and receive requests for Tollgate. */
function listenAddresses(address: string | null): readonly string[] {
  if (address === null || LOOPBACK.includes(address)) return LOOPBACK
  // It includes IPv4.
  if (address === '::') return [address]
  return address === '0.0.0.0' ? [address, '::1'] : [...LOOPBACK, address]
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL'
}

function unknownAddress(address: string): string {
  return `This computer has no address ${address} to listen on. 0.0.0.0 stands for all that it has.`
}

function readAddress(server: Server): AddressInfo {
  return server.address() as AddressInfo
}
