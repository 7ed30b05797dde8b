import { KeyMetadata } from '../../shared/api/keys.ts'
import { findMain } from '../../shared/api/main-limit.ts'
import type { SpendLimitState } from '../../shared/api/spend-limits.ts'
import { MAIN_PERIOD } from '../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money/money.ts'
import type { MatchesModel } from '../../shared/values/model-pattern.ts'
import { type Clock, formatTime, getTimers, type Timers } from '../platform/clock.ts'
import { pickFields } from '../platform/fields.ts'
import type { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store, StoredKey } from '../store/store.ts'

/** A key in memory: the stored row, and what running requests have reserved. */
export interface KeyState extends StoredKey {
  reservedNano: NanoUsd
  /** Which models may serve its requests; null for all. */
  modelMatcher: MatchesModel | null
  /** It was seen to have expired, whatever the clock says now. */
  expirySeen: boolean
}

/** A key as the API shows it, with the states of its `spendLimits`. */
export function toMetadata(key: KeyState, spendLimits: SpendLimitState[]): KeyMetadata {
  return {
    ...pickFields(key, KeyMetadata),
    createdAt: formatTime(key.createdAt),
    lastUsedAt: formatTime(key.lastUsedAt),
    revokedAt: formatTime(key.revokedAt),
    spendUsd: nanoToUsd(key.spendNano),
    reservedUsd: nanoToUsd(key.reservedNano),
    spendLimitUsd: findMain(key.spendLimits, MAIN_PERIOD.key)?.usd ?? null,
    spendLimits,
    allowedModels: key.allowedModels && [...key.allowedModels],
    expiresAt: formatTime(key.expiresAt),
    pausedAt: formatTime(key.pausedAt),
  }
}

// When keys expire, and when they were used.

/** Its value has what was seen to expire. Keys stay expired when the clock is set back, until they get another expiry. */
const SETTING = 'endedKeys'
const CHECK_MS = 60_000

type ExpiringKey = Pick<KeyState, 'id' | 'expiresAt' | 'expirySeen'>

interface KeyExpiryDeps {
  store: Store
  clock: Clock
  writes: RetriedWrites
}

export class KeyExpiry {
  static readonly setting = SETTING
  readonly #deps: KeyExpiryDeps
  /** The expiry that was reached, by the id of the key. */
  readonly #seen: Map<string, unknown>
  #timer: NodeJS.Timeout | null = null

  /** `stored`: what an earlier run has noted. */
  constructor(deps: KeyExpiryDeps, stored: unknown) {
    this.#deps = deps
    this.#seen = new Map(typeof stored === 'object' && stored !== null ? Object.entries(stored) : [])
  }

  /** Whether this expiry was seen to be reached. */
  isSeen({ id, expiresAt }: Pick<ExpiringKey, 'id' | 'expiresAt'>): boolean {
    return expiresAt !== null && this.#seen.get(id) === expiresAt
  }

  /** Checks the keys now and every minute, so that an expiry is noted although no one uses the key. */
  watch(keys: () => Iterable<ExpiringKey>): void {
    const check = () => {
      for (const key of keys()) if (hasExpired(key, this.#deps.clock.now())) this.note(key)
    }
    check()
    this.#timer = getTimers(this.#deps.clock).setInterval(check, CHECK_MS).unref()
  }

  /** The key has expired. Takes effect in memory immediately; the write is repeated until it succeeds. */
  note(key: ExpiringKey): void {
    if (key.expirySeen || key.expiresAt === null) return
    key.expirySeen = true
    this.#seen.set(key.id, key.expiresAt)
    const { store, writes } = this.#deps
    writes.add(SETTING, () =>
      store.write('putSettings', [{ name: SETTING, value: Object.fromEntries(this.#seen) }]),
    )
    void writes.write(SETTING)
  }

  close(): void {
    getTimers(this.#deps.clock).clear(this.#timer)
  }
}

/** Whether the time of a key is over. */
export function hasExpired({ expiresAt, expirySeen }: Omit<ExpiringKey, 'id'>, now: number): boolean {
  return expiresAt !== null && (expirySeen || now >= expiresAt)
}

/** How long uses are collected before they are written; a crash loses only `lastUsedAt` of the last second. */
const COLLECT_MS = 1_000

/** Writes when keys were used. */
export class KeyUses {
  readonly #store: Store
  readonly #timers: Timers
  /** Moments by the id of the key. */
  readonly #uses = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#timers = getTimers(clock)
  }

  add(id: string, at: number): void {
    this.#uses.set(id, at)
    this.#timer ??= this.#timers.setTimeout(() => void this.flush(), COLLECT_MS)
  }

  /** Writes those collected so far. One that cannot be written is written with the next. */
  async flush(): Promise<void> {
    this.close()
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }))
    this.#uses.clear()
    if (uses.length === 0) return
    await this.#store.write('touchKeys', uses).catch(() => {
      // A newer use may have come meanwhile.
      for (const { id, at } of uses) if (!this.#uses.has(id)) this.#uses.set(id, at)
    })
  }

  close(): void {
    this.#timers.clear(this.#timer)
    this.#timer = null
  }
}
