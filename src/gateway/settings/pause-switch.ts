import type { Clock } from '../platform/clock.ts'
import { serverError } from '../platform/errors.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store } from '../store/store.ts'

const NAME = 'pausedAt'

/** Whether everything is paused: then no request is sent to a model, whatever its key. It survives a restart. */
export class PauseSwitch {
  readonly #store: Store
  readonly #clock: Clock
  readonly #writes: RetriedWrites
  #pausedAt: number | null
  readonly #onChange: () => void

  /** `stored`: the setting as it was when the process started. `onChange` is called after every change. */
  constructor(store: Store, clock: Clock, stored: unknown, onChange: () => void) {
    this.#onChange = onChange
    this.#store = store
    this.#clock = clock
    this.#writes = new RetriedWrites(clock)
    this.#pausedAt = typeof stored === 'number' ? stored : null
  }

  static readonly setting = NAME

  /** Null while nothing is paused. */
  get pausedAt(): number | null {
    return this.#pausedAt
  }

  /**
   * Takes effect before it is written. Throws 503 when it cannot be written yet; the write is repeated until it succeeds.
   * Pausing again keeps the first time.
   */
  async pause(): Promise<void> {
    if (this.#pausedAt === null) {
      const at = this.#clock.now()
      this.#pausedAt = at
      this.#writes.add(NAME, () => this.#put(at))
      this.#onChange()
    }
    if (!(await this.#writes.write(NAME))) {
      throw serverError(
        'Everything is paused from now on, but that cannot be stored yet (is the disk full?) and would be lost at a restart. Free some space: Tollgate keeps retrying.',
        503,
        'ledger_unavailable',
      )
    }
  }

  /** Takes effect once it is written. */
  async resume(): Promise<void> {
    if (this.#pausedAt === null) return
    await this.#put(null)
    this.#writes.drop(NAME)
    this.#pausedAt = null
    this.#onChange()
  }

  close(): void {
    this.#writes.close()
  }

  #put(value: number | null): Promise<unknown> {
    return this.#store.write('putSettings', [{ name: NAME, value }])
  }
}
