import { type Clock, type Timers, timersOf } from '../platform/clock.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store } from '../store/store.ts'

/** How long uses are collected before they are written; a crash loses only `lastUsedAt` of the last second. */
const TOUCH_INTERVAL_MS = 1_000

/** Writes what takes effect in memory first: when keys were used, and revocations, which are retried until durable. */
export class KeyWrites {
  readonly #store: Store
  readonly #timers: Timers
  readonly #urgent: RetriedWrites
  /** Moments by the id of the key. */
  readonly #uses = new Map<string, number>()
  #touchTimer: NodeJS.Timeout | null = null

  constructor(store: Store, clock: Clock, retryMs?: number) {
    this.#store = store
    this.#timers = timersOf(clock)
    this.#urgent = new RetriedWrites(clock, retryMs)
  }

  touch(id: string, at: number): void {
    this.#uses.set(id, at)
    this.#touchTimer ??= this.#timers.setTimeout(() => void this.flush(), TOUCH_INTERVAL_MS)
  }

  addRevocation(id: string, at: number): void {
    this.#urgent.add(revocationOf(id), () => this.#store.write('revokeKey', { id, at }))
  }

  /** Whether the revocation is durable now, or was before. If not, the write is retried soon. */
  writeRevocation(id: string): Promise<boolean> {
    return this.#urgent.write(revocationOf(id))
  }

  /** Writes everything that is pending. */
  async flush(): Promise<void> {
    this.#timers.clear(this.#touchTimer)
    this.#touchTimer = null
    await Promise.all([this.#writeUses(), this.#urgent.writeAll()])
  }

  /** Stops retrying failed writes. */
  close(): void {
    this.#timers.clear(this.#touchTimer)
    this.#urgent.close()
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
}

function revocationOf(id: string): string {
  return `revoke ${id}`
}
