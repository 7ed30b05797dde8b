// Owns the time by which old things are removed for good. It follows the wall clock, but forwards only by a day for
// each look (one an hour): a clock that is far ahead and right again later has taken little with it by then.
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/store.ts'

const SETTING = 'upkeepTime'
const DAY_MS = 86_400_000

export class TrustedTime {
  readonly #store: Store
  readonly #clock: Clock
  #time: number | null

  /** `stored` is what an earlier run kept. Without it the clock is all that is known. */
  constructor(store: Store, clock: Clock, stored: unknown) {
    this.#store = store
    this.#clock = clock
    this.#time = typeof stored === 'number' && Number.isFinite(stored) ? stored : null
  }

  /** Durable before it is used. Throws a StoreError when it cannot be written. */
  async advance(): Promise<number> {
    const now = this.#clock.now()
    const time = this.#time === null ? now : Math.min(now, this.#time + DAY_MS)
    await this.#store.write('putSettings', [{ name: SETTING, value: time }])
    this.#time = time
    return time
  }

  static stored(settings: { stored(name: string): unknown }): unknown {
    return settings.stored(SETTING)
  }
}
