import type { KeyCreate, KeyCreated, KeyMetadata, KeyUpdate } from '../../shared/keys.ts'
import { createMatcher } from '../../shared/model-pattern.ts'
import { usdToNano, ZERO_USD } from '../../shared/money.ts'
import { createSecretHint } from '../../shared/secret-hint.ts'
import type { SpendLimitState } from '../../shared/spend-limits.ts'
import { type Clock, getTimers, type Timers } from '../platform/clock.ts'
import { invalidRequest, notFound, serverError } from '../platform/errors.ts'
import type { EventHub } from '../platform/events.ts'
import { omitUndefined } from '../platform/fields.ts'
import { hashSecret, newKeyId, newSecret } from '../platform/ids.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import type { Store, StoredKey } from '../store/store.ts'
import { type KeyState, metadata } from './key-state.ts'

const PLAYGROUND_NAME = 'Playground'

/** Knows what is spent under the `spendLimits` of a key. */
interface KeyLimits {
  find(keyId: string): { states(): SpendLimitState[] }
}

export interface ApiKeysDeps {
  store: Store
  clock: Clock
  events: EventHub
  limits: KeyLimits
  /** Milliseconds until a failed write of a revocation is retried. */
  retryMs?: number
  /** What `KeyEnds` has stored. */
  endedKeys?: unknown
}

export class ApiKeys {
  readonly #store: Store
  readonly #clock: Clock
  readonly #events: EventHub
  readonly #limits: KeyLimits
  readonly #byId = new Map<string, KeyState>()
  readonly #byHash = new Map<string, KeyState>()
  readonly #recent: RecentSecrets<KeyState>
  readonly #writes: KeyWrites
  readonly ends: KeyEnds
  /** The last one that was found. */
  #playgroundKey: KeyState | null = null
  /** While it is being created. */
  #playground: Promise<KeyState> | null = null

  constructor(
    { store, clock, events, limits, retryMs, endedKeys }: ApiKeysDeps,
    stored: readonly StoredKey[],
  ) {
    this.#recent = new RecentSecrets(clock)
    this.#writes = new KeyWrites(store, clock, retryMs)
    this.#store = store
    this.#clock = clock
    this.#events = events
    this.#limits = limits
    this.ends = new KeyEnds({ store, clock, retryMs }, endedKeys)
    for (const key of stored) this.#add(key)
    this.ends.watch(() => this.all())
  }

  /** Finds revoked keys too. */
  findBySecret(secret: string): KeyState | null {
    const recent = this.#recent.get(secret)
    if (recent) return recent
    const key = this.#byHash.get(hashSecret(secret).toString('hex')) ?? null
    if (key) this.#recent.add(secret, key)
    return key
  }

  get(id: string): KeyState | null {
    return this.#byId.get(id) ?? null
  }

  /** The key with this id. Throws 404. */
  require(id: string): KeyState {
    const key = this.#byId.get(id)
    if (!key) throw notFound(`There is no key "${id}".`)
    return key
  }

  all(): Iterable<KeyState> {
    return this.#byId.values()
  }

  /** Newest first. */
  list(): KeyMetadata[] {
    return [...this.#byId.values()].sort((a, b) => b.createdAt - a.createdAt).map((key) => this.view(key))
  }

  /** Throws 400 for a key that has expired already. */
  async create(fields: KeyCreate): Promise<KeyCreated> {
    if (fields.expiresAt && Date.parse(fields.expiresAt) <= this.#clock.now())
      throw invalidRequest('"expiresAt" is in the past: the key could never be used.', { param: 'expiresAt' })
    const secret = newSecret()
    const key = await this.#insert(fields, 'user', secret)
    return {
      id: key.id,
      secret,
      name: key.name,
      scope: key.scope,
      createdAt: new Date(key.createdAt).toISOString(),
    }
  }

  /** The key that pays for the window's playground, created when it is first needed. It has no secret. */
  playground(): Promise<KeyState> {
    const isUsable = (key: KeyState) => key.purpose === 'playground' && key.revokedAt === null
    if (!this.#playgroundKey || !isUsable(this.#playgroundKey))
      this.#playgroundKey = [...this.#byId.values()].find(isUsable) ?? null
    if (this.#playgroundKey) return Promise.resolve(this.#playgroundKey)
    this.#playground ??= this.#insert(
      { name: PLAYGROUND_NAME, scope: 'completions-only' },
      'playground',
      null,
    ).finally(() => {
      this.#playground = null
    })
    return this.#playground
  }

  /** Throws 400 for a revoked key: revocation is permanent. */
  async update(id: string, patch: KeyUpdate): Promise<KeyMetadata> {
    const key = this.require(id)
    if (key.revokedAt !== null) throw revokedKey()
    const changes = toStored(patch)
    // Null: it was revoked while the write was queued.
    if ((await this.#store.write('updateKey', { id, ...changes })) === null) throw revokedKey()
    Object.assign(key, changes)
    Object.assign(key, derive(key), { endSeen: this.ends.isSeen(key) })
    this.announce(key)
    return this.view(key)
  }

  /**
   * Takes effect in memory before it is written, so that the next request is refused already. Resolves when it is
   * durable. Throws 503 when it cannot be written yet; the write is retried until it succeeds. Idempotent.
   */
  async revoke(id: string): Promise<KeyMetadata> {
    const key = this.require(id)
    if (key.revokedAt === null) {
      key.revokedAt = this.#clock.now()
      this.#writes.addRevocation(id, key.revokedAt)
      this.announce(key)
    }
    if (!(await this.#writes.writeRevocation(id))) {
      throw serverError(
        `The key "${key.name}" is refused from now on, but its revocation cannot be stored yet (is the disk full?) and would be lost at a restart. Free some space: Tollgate keeps retrying, and repeating this request shows whether it has succeeded.`,
        503,
        'ledger_unavailable',
      )
    }
    return this.view(key)
  }

  /**
   * Throws 400 when this is the last admin key: a headless gateway could not be administered any more.
   */
  refuseLastAdmin(id: string): void {
    const isAdmin = (key: KeyState) =>
      key.scope === 'admin' && key.revokedAt === null && key.secretHash !== null
    if (!isAdmin(this.require(id))) return
    if ([...this.#byId.values()].some((key) => key.id !== id && isAdmin(key))) return
    throw invalidRequest(
      'This is the last key with the scope "admin". Create another one first, so that you are not locked out. If its secret has leaked, create a new admin key and revoke this one with it.',
      { param: 'id', code: 'last_admin_key' },
    )
  }

  touch(key: KeyState): void {
    const now = this.#clock.now()
    key.lastUsedAt = now
    this.#writes.touch(key.id, now)
  }

  /** Writes the last-used times collected so far, and revocations that could not be written before. */
  async flush(): Promise<void> {
    await Promise.all([this.#writes.flush(), this.ends.flush()])
  }

  /** Stops retrying failed writes, and forgets the secrets. */
  close(): void {
    this.#writes.close()
    this.ends.close()
    this.#recent.clear()
  }

  /** As the API shows it. */
  view(key: KeyState): KeyMetadata {
    return metadata(key, this.#limits.find(key.id).states())
  }

  announce(key: KeyState): void {
    this.#events.publish('key', () => ({ type: 'key', key: this.view(key) }))
  }

  async #insert(fields: KeyCreate, purpose: StoredKey['purpose'], secret: string | null): Promise<KeyState> {
    const row = {
      id: newKeyId(),
      purpose,
      secretHash: secret === null ? null : hashSecret(secret),
      secretHint: secret === null ? null : createSecretHint(secret),
      createdAt: this.#clock.now(),
      ...toStored(fields),
    }
    const key = this.#add(await this.#store.write('insertKey', row))
    this.announce(key)
    return key
  }

  #add(stored: StoredKey): KeyState {
    const endSeen = this.ends.isSeen(stored)
    const key: KeyState = {
      ...stored,
      ...derive(stored),
      reservedNano: ZERO_USD,
      endSeen,
    }
    this.#byId.set(key.id, key)
    if (key.secretHash) this.#byHash.set(Buffer.from(key.secretHash).toString('hex'), key)
    return key
  }
}

/** What requests need of the stored fields. */
function derive({ spendLimitUsd, allowedModels }: StoredKey): Pick<KeyState, 'limitNano' | 'allows'> {
  return {
    limitNano: spendLimitUsd === null ? null : usdToNano(spendLimitUsd),
    allows: allowedModels && createMatcher(allowedModels),
  }
}

/** The fields that are set, as they are stored. */
function toStored<T extends KeyUpdate>({ expiresAt, ...fields }: T) {
  return {
    ...omitUndefined(fields),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : Date.parse(expiresAt) }),
  }
}

export function revokedKey() {
  return invalidRequest('A revoked key cannot be changed. Create a new one.')
}

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
    this.#timers = getTimers(clock)
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

// Which keys were seen to have expired. They stay expired when the clock is set back, until they get another end.

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
    this.#timer = getTimers(this.#clock).setInterval(check, CHECK_MS).unref()
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
    getTimers(this.#clock).clear(this.#timer)
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
    this.#timers = getTimers(clock)
    this.#urgent = new RetriedWrites(clock, retryMs)
  }

  touch(id: string, at: number): void {
    this.#uses.set(id, at)
    this.#touchTimer ??= this.#timers.setTimeout(() => void this.flush(), TOUCH_INTERVAL_MS)
  }

  addRevocation(id: string, at: number): void {
    this.#urgent.add(nameRevocation(id), () => this.#store.write('revokeKey', { id, at }))
  }

  /** Whether the revocation is durable now, or was before. If not, the write is retried soon. */
  writeRevocation(id: string): Promise<boolean> {
    return this.#urgent.write(nameRevocation(id))
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

function nameRevocation(id: string): string {
  return `revoke ${id}`
}
