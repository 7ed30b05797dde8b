import type { Store } from '../store/store.ts'

/** How long uses are collected before they are written; a crash loses only `lastUsedAt` of the last second. */
const TOUCH_INTERVAL_MS = 1_000
/** How soon a failed write of a revocation is retried. */
const RETRY_MS = 1_000

/** Writes what takes effect in memory first: when keys were used, and revocations, which are retried until durable. */
export class KeyWrites {
  readonly #store: Store
  readonly #retryMs: number
  /** Moments by the id of the key. */
  readonly #uses = new Map<string, number>()
  /** Revocations that are in effect, but not durable yet. */
  readonly #revocations = new Map<string, number>()
  #touchTimer: NodeJS.Timeout | null = null
  #retryTimer: NodeJS.Timeout | null = null
  #closed = false

  constructor(store: Store, retryMs = RETRY_MS) {
    this.#store = store
    this.#retryMs = retryMs
  }

  touch(id: string, at: number): void {
    this.#uses.set(id, at)
    this.#touchTimer ??= setTimeout(() => void this.flush(), TOUCH_INTERVAL_MS)
  }

  addRevocation(id: string, at: number): void {
    this.#revocations.set(id, at)
  }

  /** Whether the revocation is durable now, or was before. If not, the write is retried soon. */
  async writeRevocation(id: string): Promise<boolean> {
    const at = this.#revocations.get(id)
    if (at === undefined) return true
    try {
      await this.#store.write('revokeKey', { id, at })
      this.#revocations.delete(id)
      return true
    } catch {
      this.#scheduleRetry()
      return false
    }
  }

  /** Writes everything that is pending. */
  async flush(): Promise<void> {
    if (this.#touchTimer) clearTimeout(this.#touchTimer)
    this.#touchTimer = null
    await Promise.all([this.#writeUses(), this.#writeRevocations()])
  }

  /** Stops retrying failed writes. */
  close(): void {
    this.#closed = true
    if (this.#touchTimer) clearTimeout(this.#touchTimer)
    if (this.#retryTimer) clearTimeout(this.#retryTimer)
  }

  async #writeUses(): Promise<void> {
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }))
    this.#uses.clear()
    if (uses.length === 0) return
    await this.#store.write('touchKeys', uses).catch(() => {
      // A newer use may have come meanwhile.
      for (const { id, at } of uses) if (!this.#uses.has(id)) this.#uses.set(id, at)
    })
  }

  async #writeRevocations(): Promise<void> {
    await Promise.all([...this.#revocations.keys()].map((id) => this.writeRevocation(id)))
  }

  #scheduleRetry(): void {
    if (this.#closed) return
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null
      void this.#writeRevocations()
    }, this.#retryMs).unref()
  }
}
