import type { KeyCreate, KeyCreated, KeyMetadata, KeyUpdate } from '../../shared/api/keys.ts'
import { mergeLimits } from '../../shared/api/main-limit.ts'
import type { SpendLimit, SpendLimitState } from '../../shared/api/spend-limits.ts'
import { createSecretHint, MAIN_PERIOD } from '../../shared/api/terms.ts'
import { ZERO_USD } from '../../shared/money/money.ts'
import { createMatcher } from '../../shared/values/model-pattern.ts'
import { type Clock, formatTime, getTimers, type Timers } from '../platform/clock.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import type { EventHub } from '../platform/events.ts'
import { omitUndefined } from '../platform/fields.ts'
import { hashSecret, newKeyId, newSecret } from '../platform/ids.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store, StoredKey } from '../store/store.ts'
import { KeyExpiry, type KeyState, KeyUses, toMetadata } from './key-state.ts'

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
  /** Milliseconds until a failed write is retried. */
  retryMs?: number
  /** The value that `KeyExpiry` has stored. */
  endedKeys?: unknown
}

export class ApiKeys {
  readonly #deps: ApiKeysDeps
  readonly #byId = new Map<string, KeyState>()
  readonly #byHash = new Map<string, KeyState>()
  readonly #recent: RecentSecrets<KeyState>
  readonly #uses: KeyUses
  readonly #changes = new SerialQueue()
  /** Revocations, pauses and expiry. */
  readonly #writes: RetriedWrites
  readonly expiry: KeyExpiry
  /** The key of the playground, while it is being created. */
  #playground: Promise<KeyState> | null = null

  constructor(deps: ApiKeysDeps, stored: readonly StoredKey[]) {
    const { store, clock, retryMs, endedKeys } = deps
    this.#deps = deps
    this.#recent = new RecentSecrets(clock)
    this.#uses = new KeyUses(store, clock)
    this.#writes = new RetriedWrites(clock, retryMs)
    this.expiry = new KeyExpiry({ store, clock, writes: this.#writes }, endedKeys)
    for (const key of stored) this.#add(key)
    this.expiry.watch(() => this.all())
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
    if (fields.expiresAt && Date.parse(fields.expiresAt) <= this.#deps.clock.now())
      throw invalidRequest('"expiresAt" is in the past: the key could never be used.', { param: 'expiresAt' })
    const secret = newSecret()
    const key = await this.#insert(fields, 'user', secret)
    const { id, name, scope, createdAt } = key
    return { id, secret, name, scope, createdAt: formatTime(createdAt) }
  }

  /** The key that pays for the window's playground, created when it is first needed. It has no secret. */
  async playground(): Promise<KeyState> {
    const isUsable = (key: KeyState) => key.purpose === 'playground' && key.revokedAt === null
    const usableKey = this.#byId.values().find(isUsable)
    if (usableKey) return usableKey
    const fields = { name: PLAYGROUND_NAME, scope: 'completions-only' } as const
    this.#playground ??= this.#insert(fields, 'playground', null).finally(() => {
      this.#playground = null
    })
    return await this.#playground
  }

  /** One after another: each change of limits builds on the one before. Throws 400 for a revoked key: revocation is permanent. */
  update(id: string, patch: KeyUpdate): Promise<KeyMetadata> {
    return this.#changes.run(async () => {
      const key = this.#requireValid(id)
      const changes = toStored(patch, key.spendLimits)
      // Null: it was revoked while the write was queued.
      if ((await this.#deps.store.write('updateKey', { id, ...changes })) === null) throw revokedKey()
      Object.assign(key, changes)
      Object.assign(key, derive(key), { expirySeen: this.expiry.isSeen(key) })
      this.announce(key)
      return this.view(key)
    })
  }

  /**
   * Takes effect in memory before it is written, so that the next request is refused already. Resolves when it is
   * durable. Throws 503 when it cannot be written yet; the write is retried until it succeeds. Idempotent.
   */
  async revoke(id: string): Promise<KeyMetadata> {
    const key = this.require(id)
    if (key.revokedAt === null) {
      key.revokedAt = this.#deps.clock.now()
      const revocation = { id, at: key.revokedAt }
      this.#writes.add(`revoke ${id}`, () => this.#deps.store.write('revokeKey', revocation))
      this.announce(key)
    }
    const advice = ', and repeating this request shows whether it has succeeded'
    await this.#writes.require(`revoke ${id}`, `The key "${key.name}" is refused`, 'its revocation', advice)
    return this.view(key)
  }

  /**
   * Takes effect in memory before the first await, and is written then. Throws 404, 400 for a revoked key, and 503 when it
   * cannot be written yet; the write is repeated until it succeeds. Pausing a paused key changes nothing.
   */
  async pause(id: string, reason: string | null): Promise<KeyMetadata> {
    const key = this.#requireValid(id)
    if (key.pausedAt === null) {
      const at = this.#deps.clock.now()
      key.pausedAt = at
      key.pauseReason = reason
      this.#writes.add(`pause ${id}`, () => this.#deps.store.write('pauseKey', { id, at, reason }))
      this.announce(key)
    }
    await this.#writes.require(`pause ${id}`, `The key "${key.name}" is paused`)
    return this.view(key)
  }

  /** Takes effect once it is written. Throws 404, and 400 for a revoked key. */
  async resume(id: string): Promise<KeyMetadata> {
    const key = this.#requireValid(id)
    if (key.pausedAt !== null) {
      await this.#deps.store.write('pauseKey', { id, at: null, reason: null })
      this.#writes.drop(`pause ${id}`)
      key.pausedAt = null
      key.pauseReason = null
      this.announce(key)
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
    const now = this.#deps.clock.now()
    key.lastUsedAt = now
    this.#uses.add(key.id, now)
  }

  /** Writes the last-used times collected so far, and what could not be written before. */
  async flush(): Promise<void> {
    await Promise.all([this.#uses.flush(), this.#writes.writeAll()])
  }

  /** Stops retrying failed writes, and forgets the secrets. */
  close(): void {
    this.#writes.close()
    this.#uses.close()
    this.expiry.close()
    this.#recent.clear()
  }

  /** The key as the API shows it. */
  view(key: KeyState): KeyMetadata {
    return toMetadata(key, this.#deps.limits.find(key.id).states())
  }

  announce(key: KeyState): void {
    this.#deps.events.publish('key', () => ({ type: 'key', key: this.view(key) }))
  }

  /** Throws 404, and 400 for a revoked key. */
  #requireValid(id: string): KeyState {
    const key = this.require(id)
    if (key.revokedAt !== null) throw revokedKey()
    return key
  }

  async #insert(fields: KeyCreate, purpose: StoredKey['purpose'], secret: string | null): Promise<KeyState> {
    const row = {
      id: newKeyId(),
      purpose,
      secretHash: secret === null ? null : hashSecret(secret),
      secretHint: secret === null ? null : createSecretHint(secret),
      createdAt: this.#deps.clock.now(),
      ...toStored(fields, []),
    }
    const key = this.#add(await this.#deps.store.write('insertKey', row))
    this.announce(key)
    return key
  }

  #add(stored: StoredKey): KeyState {
    const state = { reservedNano: ZERO_USD, expirySeen: this.expiry.isSeen(stored) }
    const key: KeyState = { ...stored, ...derive(stored), ...state }
    this.#byId.set(key.id, key)
    if (key.secretHash) this.#byHash.set(Buffer.from(key.secretHash).toString('hex'), key)
    return key
  }
}

/** Derives the field that requests need from the stored one. */
function derive({ allowedModels }: StoredKey): Pick<KeyState, 'modelMatcher'> {
  return { modelMatcher: allowedModels && createMatcher(allowedModels) }
}

/** The fields that are set, as they are stored. */
function toStored<T extends KeyUpdate>(
  { expiresAt, spendLimitUsd: mainUsd, spendLimits, ...fields }: T,
  current: readonly SpendLimit[],
) {
  const limits = mergeLimits(current, { mainUsd, limits: spendLimits }, MAIN_PERIOD.key)
  return {
    ...omitUndefined(fields),
    ...(limits === current ? {} : { spendLimits: limits }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : Date.parse(expiresAt) }),
  }
}

function revokedKey() {
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
