import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/store.ts'

// The name under which earlier versions stored it.
const SETTING = 'upkeepTime'
const DAY_MS = 86_400_000

/**
 * The time by which old data is deleted. It follows the wall clock, but advances by at most a day per call (one an hour):
 * a clock that was far ahead for a while has little deleted.
 */
export class TrustedTime {
  readonly #store: Store
  readonly #clock: Clock
  #time: number | null

  /** `stored`: the time of an earlier run. Without it, the first call trusts the clock. */
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
