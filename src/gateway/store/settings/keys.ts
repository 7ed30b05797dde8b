import type { KeyGuard, KeyMetadata, Scope } from '../../../shared/api/keys.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { NanoUsd } from '../../../shared/money/money.ts'
import { type Db, statement } from '../engine/statement.ts'
import {
  type Codec,
  changed,
  created,
  defineRow,
  flag,
  json,
  type NewRow,
  option,
  type RowOf,
  type RowPatch,
  recorded,
  type SqlRow,
} from './fields.ts'

/** An empty list is stored as NULL. */
const spendLimits: Codec<readonly SpendLimit[]> = {
  ...json<readonly SpendLimit[]>(),
  encode: (limits) => (limits.length === 0 ? null : JSON.stringify(limits)),
  absent: [],
}

const FIELDS = {
  id: created<string>(),
  name: changed<string>(),
  scope: created<Scope>(),
  purpose: created<KeyMetadata['purpose']>(),
  /** SHA-256 of the secret, 32 bytes; null for a key that no bearer can present. */
  secretHash: created<Uint8Array | null>(),
  /** The last characters of the secret; null for a key without one, or created before they were stored. */
  secretHint: created<string | null>(),
  createdAt: created<number>(),
  lastUsedAt: recorded<number | null>(),
  revokedAt: recorded<number | null>(),
  spendLimitUsd: option<number | null>(null),
  rpmLimit: option<number | null>(null),
  tpmLimit: option<number | null>(null),
  /** Whether its prompts and answers are stored; null follows the settings. */
  storeBodies: option<boolean | null>(null, flag),
  /** The project of its requests. */
  tag: option<string | null>(null),
  spendLimits: option<readonly SpendLimit[]>([], spendLimits),
  /** Whether a request is admitted only if its whole bound fits under its limits. */
  strict: option<boolean>(false, flag),
  /** Ids and patterns; null for all models. */
  allowedModels: option<readonly string[] | null>(null, json()),
  expiresAt: option<number | null>(null),
  guard: option<KeyGuard>('on'),
  pausedAt: recorded<number | null>(),
  pauseReason: recorded<string | null>(),
  /** Everything ever settled on the key. */
  spendNano: recorded<NanoUsd>(),
}

export type StoredKey = RowOf<typeof FIELDS>
export type NewKey = NewRow<typeof FIELDS>
export type KeyPatch = { id: string } & RowPatch<typeof FIELDS>

const { list, values, assignments, encode, decode } = defineRow(FIELDS)

const insert = statement<SqlRow, SqlRow>(`INSERT INTO keys ${values} RETURNING ${list}`)
const byId = statement<[string], SqlRow>(`SELECT ${list} FROM keys WHERE id = ?`)
const all = statement<[], SqlRow>(`SELECT ${list} FROM keys ORDER BY created_at, id`)
const update = statement<SqlRow, SqlRow>(`UPDATE keys SET ${assignments} WHERE id = @id RETURNING ${list}`)
const revoke = statement<[number, string], SqlRow>(
  `UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${list}`,
)
const pause = statement<[number | null, string | null, string], SqlRow>(
  `UPDATE keys SET paused_at = ?, pause_reason = ? WHERE id = ? RETURNING ${list}`,
)
const touch = statement<[number, string]>(
  'UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
)

/** Throws `conflict` when the id or the secret is taken. */
export function insertKey(db: Db, key: NewKey): StoredKey {
  const row = insert(db).get(encode(key))
  if (!row) throw new Error('the inserted key did not come back')
  return decode(row)
}

/** The key as it is now; null when there is none, or it is revoked and so can no longer change. */
export function updateKey(db: Db, patch: KeyPatch): StoredKey | null {
  const row = byId(db).get(patch.id)
  if (!row || row.revokedAt !== null) return null
  const updated = update(db).get(encode({ ...decode(row), ...patch }))
  return updated ? decode(updated) : null
}

/** Revoking again keeps the first time. Null when there is no such key. */
export function revokeKey(db: Db, { id, at }: { id: string; at: number }): StoredKey | null {
  const revoked = revoke(db).get(at, id)
  return revoked ? decode(revoked) : null
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
  return paused ? decode(paused) : null
}

/** Records when keys were used; an older moment never replaces a newer one. */
export function touchKeys(db: Db, uses: readonly { id: string; at: number }[]): void {
  for (const use of uses) touch(db).run(use.at, use.id)
}

/** All keys, oldest first, revoked ones included. */
export function readKeys(db: Db): StoredKey[] {
  return all(db).all().map(decode)
}
