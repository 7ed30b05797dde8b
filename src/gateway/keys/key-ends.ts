// Which keys were seen to have expired. They stay expired when the clock is set back, until they get another end.
import { type Clock, type Timers, timersOf } from '../platform/clock.ts'
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
