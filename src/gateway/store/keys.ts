// Owns the rows of API keys. Knows nothing of secrets beyond their hash, nor of what a cap means.

import type { Scope } from '../../shared/keys.ts'
import { nanoUsd } from '../../shared/money.ts'
import type { KeyPurpose, StoredKey } from './rows.ts'
import { type Db, statement } from './statement.ts'
import type { KeyPatch, NewKey } from './types.ts'

interface KeyRow {
  id: string
  name: string
  scope: Scope
  purpose: KeyPurpose
  secret_hash: Uint8Array | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
  spend_limit_usd: number | null
  rpm_limit: number | null
  tpm_limit: number | null
  spend_nano: number
}

const insert = statement<NewKey, KeyRow>(`
  INSERT INTO keys (id, name, scope, purpose, secret_hash, created_at, spend_limit_usd, rpm_limit, tpm_limit)
  VALUES (@id, @name, @scope, @purpose, @secretHash, @createdAt, @spendLimitUsd, @rpmLimit, @tpmLimit)
  RETURNING *`)
const byId = statement<[string], KeyRow>('SELECT * FROM keys WHERE id = ?')
const all = statement<[], KeyRow>('SELECT * FROM keys ORDER BY created_at, id')
const update = statement<KeyPatch, KeyRow>(`
  UPDATE keys
  SET name = @name, spend_limit_usd = @spendLimitUsd, rpm_limit = @rpmLimit, tpm_limit = @tpmLimit
  WHERE id = @id RETURNING *`)
const revoke = statement<[number, string], KeyRow>(
  'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING *',
)
const touch = statement<[number, string]>(
  'UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
)

/** Throws `conflict` when the id or the secret is taken. */
export function insertKey(db: Db, key: NewKey): StoredKey {
  const row = insert(db).get(key)
  if (!row) throw new Error('the inserted key did not come back')
  return toKey(row)
}

/** The key as it is now; null when there is none, or it is revoked and so can no longer change. */
export function updateKey(db: Db, patch: KeyPatch): StoredKey | null {
  const row = byId(db).get(patch.id)
  if (!row || row.revoked_at !== null) return null
  const changed = update(db).get({ ...toKey(row), ...patch })
  return changed ? toKey(changed) : null
}

/** Revoking again keeps the first moment. Null when there is no such key. */
export function revokeKey(db: Db, { id, at }: { id: string; at: number }): StoredKey | null {
  const row = revoke(db).get(at, id)
  return row ? toKey(row) : null
}

/** Notes when keys were used; an older moment never replaces a newer one. */
export function touchKeys(db: Db, uses: readonly { id: string; at: number }[]): void {
  for (const use of uses) touch(db).run(use.at, use.id)
}

/** All keys, oldest first, revoked ones included. */
export function allKeys(db: Db): StoredKey[] {
  return all(db).all().map(toKey)
}

function toKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    purpose: row.purpose,
    secretHash: row.secret_hash,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    spendLimitUsd: row.spend_limit_usd,
    rpmLimit: row.rpm_limit,
    tpmLimit: row.tpm_limit,
    spendNano: nanoUsd(row.spend_nano),
  }
}
