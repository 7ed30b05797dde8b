// Owns the writes of keys that take effect in memory first: uses, and revocations, which are written until they are
// durable. Knows nothing of what a key may do.
import type { Store } from '../store/store.ts'

/** How long uses are gathered before they are written; only `lastUsedAt` of a crash's last second is lost. */
const TOUCH_EVERY_MS = 1_000
/** How soon a revocation that could not be written is written again. */
const WRITE_AGAIN_MS = 1_000

export class KeyWrites {
  readonly #store: Store
  readonly #writeAgainMs: number
  /** Moments by the id of the key. */
  readonly #uses = new Map<string, number>()
  /** Of keys that are refused already, but whose revocation is not durable yet. */
  readonly #revocations = new Map<string, number>()
  #touchTimer: NodeJS.Timeout | null = null
  #againTimer: NodeJS.Timeout | null = null
  #closed = false

  constructor(store: Store, writeAgainMs = WRITE_AGAIN_MS) {
    this.#store = store
    this.#writeAgainMs = writeAgainMs
  }

  touch(id: string, at: number): void {
    this.#uses.set(id, at)
    this.#touchTimer ??= setTimeout(() => void this.flush(), TOUCH_EVERY_MS)
  }

  addRevocation(id: string, at: number): void {
    this.#revocations.set(id, at)
  }

  /** Whether the revocation is durable now, which includes one that was before. Else it is written again soon. */
  async writeRevocation(id: string): Promise<boolean> {
    const at = this.#revocations.get(id)
    if (at === undefined) return true
    try {
      await this.#store.write('revokeKey', { id, at })
      this.#revocations.delete(id)
      return true
    } catch {
      this.#writeAgainSoon()
      return false
    }
  }

  /** Writes all that is not written yet. */
  async flush(): Promise<void> {
    if (this.#touchTimer) clearTimeout(this.#touchTimer)
    this.#touchTimer = null
    await Promise.all([this.#writeUses(), this.#writeRevocations()])
  }

  /** Ends the repeating of failed writes. */
  close(): void {
    this.#closed = true
    if (this.#touchTimer) clearTimeout(this.#touchTimer)
    if (this.#againTimer) clearTimeout(this.#againTimer)
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

  #writeAgainSoon(): void {
    if (this.#closed) return
    this.#againTimer ??= setTimeout(() => {
      this.#againTimer = null
      void this.#writeRevocations()
    }, this.#writeAgainMs).unref()
  }
}
