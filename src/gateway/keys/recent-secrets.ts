import { type Clock, type Timers, timersOf } from '../platform/clock.ts'

const LIFE_MS = 60_000
const MAX_SECRETS = 1_000

/**
 * The keys of secrets that were used recently, so that not every request takes the time of a SHA-256. A map reveals nothing of its
 * secrets by its timing: it compares whole texts, and only those with the same hash, whose seed is random.
 */
export class RecentSecrets<Key> {
  readonly #keys = new Map<string, Key>()
  readonly #timers: Timers
  #timer: NodeJS.Timeout | null = null

  constructor(clock: Clock) {
    this.#timers = timersOf(clock)
  }

  get(secret: string): Key | undefined {
    return this.#keys.get(secret)
  }

  /** Remembers a secret that was verified, for a minute at most. */
  add(secret: string, key: Key): void {
    if (this.#keys.size === MAX_SECRETS) this.#keys.clear()
    this.#keys.set(secret, key)
    this.#timer ??= this.#timers.setTimeout(() => this.clear(), LIFE_MS).unref()
  }

  clear(): void {
    this.#keys.clear()
    this.#timers.clear(this.#timer)
    this.#timer = null
  }
}
