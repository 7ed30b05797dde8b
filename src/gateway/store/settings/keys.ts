import type { KeyGuard, KeyMetadata, Scope } from '../../../shared/keys.ts'
import type { NanoUsd } from '../../../shared/money.ts'
import type { SpendLimit } from '../../../shared/spend-limits.ts'
import { type Db, statement, toFlag } from '../engine/statement.ts'

export interface StoredKey {
  id: string
  name: string
  scope: Scope
  purpose: KeyMetadata['purpose']
  /** SHA-256 of the secret, 32 bytes; null for a key that no bearer can present. */
  secretHash: Uint8Array | null
  /** The last characters of the secret; null for a key without one, or created before they were stored. */
  secretHint: string | null
  createdAt: number
  lastUsedAt: number | null
  revokedAt: number | null
  spendLimitUsd: number | null
  rpmLimit: number | null
  tpmLimit: number | null
  /** Whether its prompts and answers are stored; null follows the settings. */
  storeBodies: boolean | null
  /** The project of its requests. */
  tag: string | null
  spendLimits: readonly SpendLimit[]
  /** Whether a request is admitted only if its whole bound fits under its limits. */
  strict: boolean
  /** Ids and patterns; null for all models. */
  allowedModels: readonly string[] | null
  expiresAt: number | null
  guard: KeyGuard
  pausedAt: number | null
  pauseReason: string | null
  /** Everything ever settled on the key. */
  spendNano: NanoUsd
}

/** What a key can be given, and what can be changed later. */
type Options = Pick<
  StoredKey,
  | 'spendLimitUsd'
  | 'rpmLimit'
  | 'tpmLimit'
  | 'storeBodies'
  | 'tag'
  | 'spendLimits'
  | 'strict'
  | 'allowedModels'
  | 'expiresAt'
  | 'guard'
>

const NO_OPTIONS: Options = {
  spendLimitUsd: null,
  rpmLimit: null,
  tpmLimit: null,
  storeBodies: null,
  tag: null,
  spendLimits: [],
  strict: false,
  allowedModels: null,
  expiresAt: null,
  guard: 'on',
}

export type NewKey = Pick<
  StoredKey,
  'id' | 'name' | 'scope' | 'purpose' | 'secretHash' | 'secretHint' | 'createdAt'
> &
  Partial<Options>

interface Encoded {
  storeBodies: 0 | 1 | null
  /** JSON; null for none. */
  spendLimits: string | null
  strict: 0 | 1
  allowedModels: string | null
}

type Columns<T> = Omit<T, keyof Encoded> & Encoded
type Row = Columns<StoredKey>

/** Absent members stay as they are. */
export interface KeyPatch extends Partial<Pick<StoredKey, 'name' | keyof Options>> {
  id: string
}

const COLUMNS = `id, name, scope, purpose, secret_hash AS secretHash, secret_hint AS secretHint, created_at AS createdAt,
  last_used_at AS lastUsedAt, revoked_at AS revokedAt, spend_limit_usd AS spendLimitUsd, rpm_limit AS rpmLimit,
  tpm_limit AS tpmLimit, store_bodies AS storeBodies, tag, spend_limits AS spendLimits, strict,
  allowed_models AS allowedModels, expires_at AS expiresAt, guard, paused_at AS pausedAt, pause_reason AS pauseReason,
  spend_nano AS spendNano`

const insert = statement<Columns<NewKey & Options>, Row>(`
  INSERT INTO keys (id, name, scope, purpose, secret_hash, secret_hint, created_at, spend_limit_usd, rpm_limit, tpm_limit,
    store_bodies, tag, spend_limits, strict, allowed_models, expires_at, guard)
  VALUES (@id, @name, @scope, @purpose, @secretHash, @secretHint, @createdAt, @spendLimitUsd, @rpmLimit, @tpmLimit,
    @storeBodies, @tag, @spendLimits, @strict, @allowedModels, @expiresAt, @guard)
  RETURNING ${COLUMNS}`)
const byId = statement<[string], Row>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`)
const all = statement<[], Row>(`SELECT ${COLUMNS} FROM keys ORDER BY created_at, id`)
const update = statement<Columns<KeyPatch>, Row>(`
  UPDATE keys
  SET name = @name, spend_limit_usd = @spendLimitUsd, rpm_limit = @rpmLimit, tpm_limit = @tpmLimit,
    store_bodies = @storeBodies, tag = @tag, spend_limits = @spendLimits, strict = @strict, allowed_models = @allowedModels,
    expires_at = @expiresAt, guard = @guard
  WHERE id = @id RETURNING ${COLUMNS}`)
const revoke = statement<[number, string], Row>(
  `UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${COLUMNS}`,
)
const pause = statement<[number | null, string | null, string], Row>(
  `UPDATE keys SET paused_at = ?, pause_reason = ? WHERE id = ? RETURNING ${COLUMNS}`,
)
const touch = statement<[number, string]>(
  'UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
)

/** Throws `conflict` when the id or the secret is taken. */
export function insertKey(db: Db, key: NewKey): StoredKey {
  const inserted = insert(db).get(toColumns({ ...NO_OPTIONS, ...key }))
  if (!inserted) throw new Error('the inserted key did not come back')
  return toKey(inserted)
}

function toKey(row: Row): StoredKey {
  return {
    ...row,
    storeBodies: row.storeBodies === null ? null : row.storeBodies === 1,
    spendLimits: parseList<SpendLimit>(row.spendLimits) ?? [],
    strict: row.strict === 1,
    allowedModels: parseList<string>(row.allowedModels),
  }
}

/** What `toColumns` has written. */
function parseList<T>(json: string | null): readonly T[] | null {
  return json === null ? null : JSON.parse(json)
}

function toColumns<T extends Options>(key: T): Columns<T> {
  return {
    ...key,
    storeBodies: key.storeBodies === null ? null : toFlag(key.storeBodies),
    spendLimits: key.spendLimits.length === 0 ? null : JSON.stringify(key.spendLimits),
    strict: toFlag(key.strict),
    allowedModels: key.allowedModels && JSON.stringify(key.allowedModels),
  }
}

/** The key as it is now; null when there is none, or it is revoked and so can no longer change. */
export function updateKey(db: Db, patch: KeyPatch): StoredKey | null {
  const row = byId(db).get(patch.id)
  if (!row || row.revokedAt !== null) return null
  const updated = update(db).get(toColumns({ ...toKey(row), ...patch }))
  return updated ? toKey(updated) : null
}

/** Revoking again keeps the first time. Null when there is no such key. */
export function revokeKey(db: Db, { id, at }: { id: string; at: number }): StoredKey | null {
  const revoked = revoke(db).get(at, id)
  return revoked ? toKey(revoked) : null
}

export interface KeyPause {
  id: string
  /** Null to resume it. */
  at: number | null
  reason: string | null
}

/** Null when there is no such key. */
export function pauseKey(db: Db, { id, at, reason }: KeyPause): StoredKey | null {
  const paused = pause(db).get(at, reason, id)
  return paused ? toKey(paused) : null
}

/** Records when keys were used; an older moment never replaces a newer one. */
export function touchKeys(db: Db, uses: readonly { id: string; at: number }[]): void {
  for (const use of uses) touch(db).run(use.at, use.id)
}

/** All keys, oldest first, revoked ones included. */
export function allKeys(db: Db): StoredKey[] {
  return all(db).all().map(toKey)
}
