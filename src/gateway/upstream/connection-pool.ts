import { buildConnector, Client, type Dispatcher } from 'undici'
import { Logins } from './authorization/logins.ts'

/** A request's `opaque`: whether it was written to a connection. Before that it cannot have been billed. */
export class SentMark {
  sent = false
}

function markSent(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const mark = 'opaque' in options ? options.opaque : null
    if (mark instanceof SentMark) {
      const start = handler.onRequestStart?.bind(handler)
      // Called when the request has a connection, and is about to be written to it.
      handler.onRequestStart = (controller, context) => {
        mark.sent = true
        start?.(controller, context)
      }
    }
    return dispatch(options, handler)
  }
}

/** How long an idle connection stays open; an upstream that closes it earlier only costs a retry. */
const KEEP_ALIVE_MS = 30_000
/**
 * How long a connection stays idle between two requests. A server that answers one request twice sends the second
 * answer soon after the first; while no request is pending, undici treats those bytes as an error and closes the
 * connection. Reused at once, the connection would give the next caller an answer that belongs to another.
 */
const MIN_IDLE_MS = 100

interface Idle {
  client: Client
  marked: Dispatcher
  /** Monotonic milliseconds. */
  since: number
}

/** The connections to one origin: one request at a time on each, the longest idle one first. */
class Origin {
  readonly #origin: string
  readonly #connect: buildConnector.connector
  readonly #all = new Set<Client>()
  #idle: Idle[] = []

  constructor(origin: string, connectTimeoutMs: number) {
    this.#origin = origin
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch the check off. Shared, so that TLS sessions resume.
    this.#connect = buildConnector({ timeout: connectTimeoutMs, rejectUnauthorized: true, allowH2: false })
  }

  take(): Dispatcher {
    const [first] = this.#idle
    if (first && performance.now() - first.since >= MIN_IDLE_MS) {
      this.#idle.shift()
      return first.marked
    }
    return this.#open()
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((client) => client.destroy()))
  }

  #open(): Dispatcher {
    const client = new Client(this.#origin, {
      connect: this.#connect,
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
      // The watchdog has its own time limits: these would count comment lines as progress.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const marked = client.compose(markSent)
    this.#all.add(client)
    // Emitted whenever the client can take another request.
    client.on('drain', () => this.#release(client, marked))
    client.on('disconnect', () => this.#remove(client))
    client.on('connectionError', () => this.#remove(client))
    return marked
  }

  #release(client: Client, marked: Dispatcher): void {
    if (!this.#all.has(client) || this.#idle.some((idle) => idle.client === client)) return
    this.#idle.push({ client, marked, since: performance.now() })
  }

  #remove(client: Client): void {
    if (!this.#all.delete(client)) return
    this.#idle = this.#idle.filter((idle) => idle.client !== client)
    // Pending requests fail with the connection's own error first.
    void client.close().catch(() => undefined)
  }
}

export class UpstreamPool {
  /** What requests over these connections are authorized with, where that is fetched first. */
  readonly logins = new Logins()
  readonly #origins = new Map<string, Origin>()

  /**
   * A connection to an origin (`https://host:port`), for one request. A connect that takes longer than the limit fails.
   */
  to(origin: string, connectTimeoutMs: number): Dispatcher {
    const key = `${connectTimeoutMs} ${origin}`
    let connections = this.#origins.get(key)
    if (!connections) {
      connections = new Origin(origin, connectTimeoutMs)
      this.#origins.set(key, connections)
    }
    return connections.take()
  }

  /** Closes every connection at once; pending calls fail. */
  async close(): Promise<void> {
    const origins = [...this.#origins.values()]
    this.#origins.clear()
    await Promise.all(origins.map((connections) => connections.destroy()))
  }
}
