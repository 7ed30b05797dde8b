// Which keys were seen to have expired. They stay expired when the clock is set back, until they get another end.
import { type Clock, timersOf } from '../platform/clock.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store, StoredKey } from '../store/store.ts'

const SETTING = 'endedKeys'
const CHECK_MS = 60_000

export interface EndingKey extends Pick<StoredKey, 'id' | 'expiresAt'> {
  /** It was seen to have expired, whatever the clock says now. */
  endSeen: boolean
}

export interface KeyEndsDeps {
  store: Store
  clock: Clock
  /** Milliseconds until a failed write is repeated. */
  retryMs?: number | undefined
}

export class KeyEnds {
  static readonly setting = SETTING
  readonly #store: Store
  readonly #clock: Clock
  /** The ends that were reached, by the id of the key. */
  readonly #seen: Map<string, unknown>
  readonly #writes: RetriedWrites
  #timer: NodeJS.Timeout | null = null

  /** `stored`: what an earlier run has noted. */
  constructor({ store, clock, retryMs }: KeyEndsDeps, stored: unknown) {
    this.#store = store
    this.#clock = clock
    this.#writes = new RetriedWrites(clock, retryMs)
    this.#seen = new Map(typeof stored === 'object' && stored !== null ? Object.entries(stored) : [])
  }

  /** Whether this very end was seen to be reached. */
  isSeen({ id, expiresAt }: Pick<EndingKey, 'id' | 'expiresAt'>): boolean {
    return expiresAt !== null && this.#seen.get(id) === expiresAt
  }

  /** Checks the keys now and every minute, so that an end is noted although no one uses the key. */
  watch(keys: () => Iterable<EndingKey>): void {
    const check = () => {
      for (const key of keys()) if (hasExpired(key, this.#clock.now())) this.note(key)
    }
    check()
    this.#timer = timersOf(this.#clock).setInterval(check, CHECK_MS).unref()
  }

  /** The key has expired. Takes effect in memory at once; the write is repeated until it succeeds. */
  note(key: EndingKey): void {
    if (key.endSeen || key.expiresAt === null) return
    key.endSeen = true
    this.#seen.set(key.id, key.expiresAt)
    this.#writes.add(SETTING, () =>
      this.#store.write('putSettings', [{ name: SETTING, value: Object.fromEntries(this.#seen) }]),
    )
    void this.#writes.write(SETTING)
  }

  async flush(): Promise<void> {
    await this.#writes.writeAll()
  }

  close(): void {
    timersOf(this.#clock).clear(this.#timer)
    this.#writes.close()
  }
}

/** Whether the time of a key is over. */
export function hasExpired({ expiresAt, endSeen }: Omit<EndingKey, 'id'>, now: number): boolean {
  return expiresAt !== null && (endSeen || now >= expiresAt)
}
