import type {
  KeyGuard,
  KeyMetadata,
  ResponseCache,
  Scope,
  SecretsInPrompts,
} from '../../../shared/api/keys.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { NanoUsd } from '../../../shared/money/money.ts'
import { listParts } from '../part.ts'
import { type Db, statement } from '../sql/statement.ts'
import {
  type Codec,
  changed,
  created,
  defineTable,
  flag,
  json,
  type NewRow,
  option,
  type RowOf,
  type RowPatch,
  recorded,
} from '../sql/table.ts'

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
  rpmLimit: option<number | null>(null),
  tpmLimit: option<number | null>(null),
  maxSubagents: option<number | null>(null),
  /** Whether its prompts and answers are stored; null follows the settings. */
  storeBodies: option<boolean | null>(null, flag),
  /** The project of its requests. */
  tag: option<string | null>(null),
  /** The limits of the key, with its cap. */
  spendLimits: option<readonly SpendLimit[]>([], spendLimits),
  /** Whether a request is admitted only if its whole bound fits under its limits. */
  strict: option<boolean>(false, flag),
  /** Ids and patterns; null for all models. */
  allowedModels: option<readonly string[] | null>(null, json()),
  expiresAt: option<number | null>(null),
  guard: option<KeyGuard>('on'),
  secretsInPrompts: option<SecretsInPrompts>('note'),
  responseCache: option<ResponseCache | null>(null, json()),
  pausedAt: recorded<number | null>(),
  pauseReason: recorded<string | null>(),
  /** Everything ever settled on the key. */
  spendNano: recorded<NanoUsd>(),
}

export type StoredKey = RowOf<typeof FIELDS>
export type NewKey = NewRow<typeof FIELDS>
export type KeyPatch = { id: string } & RowPatch<typeof FIELDS>

const table = defineTable('keys', FIELDS)
const insert = table.insert()
const byId = table.select<[string]>('WHERE id = ?')
const revoke = table.change<[number, string]>('revoked_at = coalesce(revoked_at, ?)')
const pause = table.change<[number | null, string | null, string]>('paused_at = ?, pause_reason = ?')
const touch = statement<[number, string]>(
  'UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
)

/** Throws `conflict` when the id or the secret is taken. */
export function insertKey(db: Db, key: NewKey): StoredKey {
  insert(db, key)
  const inserted = readKey(db, key.id)
  if (!inserted) throw new Error('the inserted key did not come back')
  return inserted
}

/** The key as it is now; null when there is none, or it is revoked and so can no longer change. */
export function updateKey(db: Db, patch: KeyPatch): StoredKey | null {
  const key = readKey(db, patch.id)
  if (!key || key.revokedAt !== null) return null
  table.patch(db, { ...key, ...patch })
  tellParts(db, key.id)
  return readKey(db, patch.id)
}

function readKey(db: Db, id: string): StoredKey | null {
  return byId(db, id)[0] ?? null
}

/** Revoking again keeps the first time. Null when there is no such key. */
export function revokeKey(db: Db, { id, at }: { id: string; at: number }): StoredKey | null {
  const key = revoke(db, at, id)
  tellParts(db, id)
  return key
}

function tellParts(db: Db, id: string): void {
  for (const part of listParts()) part.keyChanged?.(db, id)
}

export interface KeyPause {
  id: string
  /** Null to resume it. */
  at: number | null
  reason: string | null
}

/** Null when there is no such key. */
export function pauseKey(db: Db, { id, at, reason }: KeyPause): StoredKey | null {
  return pause(db, at, reason, id)
}

/** Records when keys were used; an older moment never replaces a newer one. */
export function touchKeys(db: Db, uses: readonly { id: string; at: number }[]): void {
  for (const use of uses) touch(db).run(use.at, use.id)
}

/** All keys, oldest first, revoked ones included. */
export const readKeys = table.select('ORDER BY created_at, id')
