// Owns the kept-alive connections to upstreams. Knows nothing of what is sent over them.
import { Pool } from 'undici'

/** How long an idle connection is kept; an upstream that closes earlier only costs a retry. */
const KEEP_ALIVE_MS = 30_000

export class UpstreamPool {
  readonly #pools = new Map<string, Pool>()

  /** The connections to an origin (`https://host:port`). A connect that takes longer than the limit fails. */
  to(origin: string, connectTimeoutMs: number): Pool {
    const key = `${connectTimeoutMs} ${origin}`
    const known = this.#pools.get(key)
    if (known) return known
    const pool = new Pool(origin, {
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
      // One request per connection, so that ending a call can end its socket.
      allowH2: false,
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch the check off.
      connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
      // The attempt keeps its own time: these would count comment lines as progress.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#pools.set(key, pool)
    return pool
  }

  /** Closes every connection at once; calls still running fail. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
}
