import type { KeyMetadata } from '../../shared/keys.ts'
import type { Clock } from '../platform/clock.ts'
import { serverError } from '../platform/errors.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store } from '../store/store.ts'
import { type ApiKeys, revokedKey } from './api-keys.ts'
import type { KeyState } from './key-state.ts'

export interface KeyPausesDeps {
  store: Store
  clock: Clock
  keys: ApiKeys
  /** Milliseconds until a failed write is repeated. */
  retryMs?: number
}

/** Pauses and resumes single keys. */
export class KeyPauses {
  readonly #store: Store
  readonly #clock: Clock
  readonly #keys: ApiKeys
  readonly #writes: RetriedWrites

  constructor({ store, clock, keys, retryMs }: KeyPausesDeps) {
    this.#store = store
    this.#clock = clock
    this.#keys = keys
    this.#writes = new RetriedWrites(clock, retryMs)
  }

  /**
   * Takes effect before it is written, with the first await of this. Throws 503 when it cannot be written yet; the write is
   * repeated until it succeeds. Pausing a paused key changes nothing.
   */
  async pause(id: string, reason: string | null): Promise<KeyMetadata> {
    const key = this.#require(id)
    if (key.pausedAt === null) {
      const at = this.#clock.now()
      key.pausedAt = at
      key.pauseReason = reason
      this.#writes.add(id, () => this.#store.write('pauseKey', { id, at, reason }))
      this.#keys.announce(key)
    }
    if (!(await this.#writes.write(id))) {
      throw serverError(
        `The key "${key.name}" is paused from now on, but that cannot be stored yet (is the disk full?) and would be lost at a restart. Free some space: Tollgate keeps retrying.`,
        503,
        'ledger_unavailable',
      )
    }
    return this.#keys.view(key)
  }

  /** Takes effect once it is written. */
  async resume(id: string): Promise<KeyMetadata> {
    const key = this.#require(id)
    if (key.pausedAt !== null) {
      await this.#store.write('pauseKey', { id, at: null, reason: null })
      this.#writes.drop(id)
      key.pausedAt = null
      key.pauseReason = null
      this.#keys.announce(key)
    }
    return this.#keys.view(key)
  }

  /** Repeats no failed write any more. */
  close(): void {
    this.#writes.close()
  }

  /** Throws 404, and 400 for a revoked key. */
  #require(id: string): KeyState {
    const key = this.#keys.require(id)
    if (key.revokedAt !== null) throw revokedKey()
    return key
  }
}
