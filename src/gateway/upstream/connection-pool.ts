import type { Readable } from 'node:stream'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import type { Network } from '../../shared/api/account.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { getOrCreate } from '../platform/maps.ts'
import { TokenCaches } from './expiring-cache.ts'
import { Outbound } from './network/outbound.ts'
import type { ProviderSockets, SocketServer } from './provider-sockets.ts'

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | Buffer | null
  /** The body, if it is not in memory. */
  stream?: Readable | null
  /** A connect that takes longer fails. */
  connectTimeoutMs: number
  /** Null or absent: as the settings say. */
  network?: Network | null
  /** Those of the client's WebSocket, if the request is a turn that may go over one. */
  sockets?: ProviderSockets | null | undefined
}

/** How long an idle connection stays open; an upstream that closes it earlier only costs a retry. */
const KEEP_ALIVE_MS = 30_000
/**
 * The idle time of a connection between two requests to an origin that has sent bytes to an idle one. A server that answers one
 * request twice sends the second answer soon after the first; while no request is pending, undici treats those bytes as an error
 * and closes the connection. Reused immediately, the connection would give the next caller an answer that belongs to another.
 */
const QUARANTINE_MS = 100
/** URLs whose parts are kept; few are used, so that more are those of paged lists. */
const MAX_URLS = 1_000

interface Connection {
  client: Client
  /** Monotonic milliseconds; null while it is used, and after it is closed. */
  idleSince: number | null
}

/** The connections to one origin, with one request at a time on each. */
class Origin implements SocketServer {
  readonly clock: Clock
  readonly connect: buildConnector.connector
  withoutSocketsUntil = -Infinity
  readonly #origin: string
  readonly #all = new Set<Connection>()
  /** The one that was used last is the last. */
  #idle: Connection[] = []
  #sendsWhileIdle = false

  constructor(origin: string, connect: buildConnector.connector, clock: Clock) {
    this.#origin = origin
    this.connect = connect
    this.clock = clock
  }

  /** Takes a client for one request. */
  take(): Client {
    const connection = this.#sendsWhileIdle ? this.#takeQuiet() : this.#idle.pop()
    if (!connection) return this.#open()
    connection.idleSince = null
    return connection.client
  }

  /** Takes the connection that is idle for the longest time, if that is long enough. */
  #takeQuiet(): Connection | undefined {
    const since = this.#idle[0]?.idleSince ?? Infinity
    return this.clock.monotonic() - since >= QUARANTINE_MS ? this.#idle.shift() : undefined
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map(({ client }) => client.destroy()))
  }

  #open(): Client {
    const client = new Client(this.#origin, {
      connect: this.connect,
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
      // The watchdog has its own time limits: these would count comment lines as progress.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection: Connection = { client, idleSince: null }
    this.#all.add(connection)
    // Emitted whenever the client can take another request.
    client.on('drain', () => this.#release(connection))
    client.on('disconnect', (_origin, _targets, error) => {
      if (connection.idleSince !== null && isUnexpectedData(error)) this.#sendsWhileIdle = true
      this.#remove(connection)
    })
    client.on('connectionError', () => this.#remove(connection))
    return client
  }

  #release(connection: Connection): void {
    if (connection.idleSince !== null || !this.#all.has(connection)) return
    connection.idleSince = this.clock.monotonic()
    this.#idle.push(connection)
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    this.#idle = this.#idle.filter((idle) => idle !== connection)
    // Pending requests fail with the connection's own error first.
    void connection.client.close().catch(() => undefined)
  }
}

/** Whether a connection was closed because bytes came that belong to no request. */
function isUnexpectedData(error: Error): boolean {
  return error.name === 'HTTPParserError' || error.message === 'bad response'
}

/** Where a URL leads. */
interface Location {
  connections: Origin
  connectTimeoutMs: number
  network: Network
  /** The path with the query. */
  path: string
}

export class UpstreamPool {
  readonly clock: Clock
  readonly outbound: Outbound
  /** The tokens that authorize requests over these connections, where they are fetched first. */
  readonly tokenCaches = new TokenCaches()
  /** The Date header of the last response of a provider, and when it came: what is known of this computer's clock. */
  lastDate: { header: string | undefined; atMs: number } | null = null
  readonly #origins = new Map<string, Origin>()
  readonly #locations = new Map<string, Location>()

  constructor(clock = systemClock, outbound = new Outbound()) {
    this.clock = clock
    this.outbound = outbound
  }

  /** Sends the request over a connection that no other uses. Errors go to the handler. */
  dispatch(request: HttpRequest, handler: Dispatcher.DispatchHandler): void {
    const { method, url, headers, body, stream, connectTimeoutMs, network, sockets } = request
    const { connections, path } = this.#locate(url, connectTimeoutMs, network ?? this.outbound.chosen)
    const send = () =>
      void connections.take().dispatch({ method, path, headers, body: stream ?? body }, handler)
    if (sockets) void sockets.dispatch(request, handler, connections, send)
    else send()
  }

  /** Closes every connection immediately; pending calls fail. */
  async close(): Promise<void> {
    const origins = [...this.#origins.values()]
    this.#origins.clear()
    this.#locations.clear()
    await Promise.all(origins.map((connections) => connections.destroy()))
  }

  #locate(url: string, connectTimeoutMs: number, network: Network): Location {
    const knownLocation = this.#locations.get(url)
    if (knownLocation?.connectTimeoutMs === connectTimeoutMs && knownLocation.network === network)
      return knownLocation
    const { origin, pathname, search } = new URL(url)
    const location = {
      connections: this.#connectionsTo(origin, connectTimeoutMs, network),
      connectTimeoutMs,
      network,
      path: pathname + search,
    }
    if (this.#locations.size >= MAX_URLS) this.#locations.clear()
    this.#locations.set(url, location)
    return location
  }

  #connectionsTo(origin: string, connectTimeoutMs: number, network: Network): Origin {
    const connect = () => this.outbound.connector(origin, network, connectTimeoutMs)
    const key = `${connectTimeoutMs} ${network} ${origin}`
    return getOrCreate(this.#origins, key, () => new Origin(origin, connect(), this.clock))
  }
}
