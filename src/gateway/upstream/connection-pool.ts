// The kept-alive connections to upstreams.
import { buildConnector, Client, type Dispatcher } from 'undici'

/** Given as a request's `opaque`: tells whether it was written to a connection. Before that, nobody can have billed it. */
export class SentMark {
  sent = false
}

function marking(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
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

/** How long an idle connection is kept; an upstream that closes earlier only costs a retry. */
const KEEP_ALIVE_MS = 30_000
/**
 * How long a connection rests between two requests. A server that answers one request twice sends the second answer
 * soon after the first; while nothing is asked, undici takes those bytes for an error and closes the connection. Used
 * again at once, the connection would give the next caller the answer that belongs to another.
 */
const REST_MS = 100

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
    if (first && performance.now() - first.since >= REST_MS) {
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
      // The attempt keeps its own time: these would count comment lines as progress.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const marked = client.compose(marking)
    this.#all.add(client)
    // Told whenever the client has become free for another request.
    client.on('drain', () => this.#rest(client, marked))
    // A closed connection is forgotten: whoever needs one opens it anew.
    client.on('disconnect', () => this.#forget(client))
    client.on('connectionError', () => this.#forget(client))
    return marked
  }

  #rest(client: Client, marked: Dispatcher): void {
    if (!this.#all.has(client) || this.#idle.some((idle) => idle.client === client)) return
    this.#idle.push({ client, marked, since: performance.now() })
  }

  #forget(client: Client): void {
    if (!this.#all.delete(client)) return
    this.#idle = this.#idle.filter((idle) => idle.client !== client)
    // Whatever it still has to do fails with the connection's own error first.
    void client.close().catch(() => undefined)
  }
}

export class UpstreamPool {
  readonly #origins = new Map<string, Origin>()

  /**
   * A free connection to an origin (`https://host:port`), for one request. A connect that takes longer than the limit
   * fails.
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

  /** Closes every connection at once; calls still running fail. */
  async close(): Promise<void> {
    const origins = [...this.#origins.values()]
    this.#origins.clear()
    await Promise.all(origins.map((connections) => connections.destroy()))
  }
}
