import type { KeyGuard, KeyMetadata, Scope } from '../../../shared/keys.ts'
import type { NanoUsd } from '../../../shared/money.ts'
import type { SpendLimit } from '../../../shared/spend-limits.ts'
import { type Db, type SqlValue, statement, toFlag } from '../engine/statement.ts'

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

/** Absent in a codec's place: SQLite stores the value itself. NULL stands for null, or for what `absent` says. */
interface Codec<T> {
  encode: (value: NonNullable<T>) => SqlValue
  decode: (stored: SqlValue) => T
  absent?: T
}

type Column<T> = {
  /** `created` with the key, `changed` by a patch too, or `recorded` by a statement of its own. */
  written: 'created' | 'changed' | 'recorded'
  /** The default of a new key. Without it, every new key must have a value. */
  initial?: T
} & ([T] extends [SqlValue] ? { codec?: Codec<T> } : { codec: Codec<T> })

const flag = { encode: (value: boolean) => toFlag(value), decode: (stored: SqlValue) => stored === 1 }

function list<T>() {
  return {
    encode: (value: readonly T[]) => JSON.stringify(value),
    decode: (stored: SqlValue): readonly T[] => JSON.parse(String(stored)),
  }
}

/** An empty list is stored as NULL. */
const spendLimits: Codec<readonly SpendLimit[]> = {
  encode: (limits) => (limits.length === 0 ? null : JSON.stringify(limits)),
  decode: list<SpendLimit>().decode,
  absent: [],
}

/** By the names in a StoredKey: the column of `rpmLimit` is `rpm_limit`. SQL and the types of writes follow from it. */
const COLUMNS = {
  id: { written: 'created' },
  name: { written: 'changed' },
  scope: { written: 'created' },
  purpose: { written: 'created' },
  secretHash: { written: 'created' },
  secretHint: { written: 'created' },
  createdAt: { written: 'created' },
  lastUsedAt: { written: 'recorded' },
  revokedAt: { written: 'recorded' },
  spendLimitUsd: { written: 'changed', initial: null },
  rpmLimit: { written: 'changed', initial: null },
  tpmLimit: { written: 'changed', initial: null },
  storeBodies: { written: 'changed', initial: null, codec: flag },
  tag: { written: 'changed', initial: null },
  spendLimits: { written: 'changed', initial: [], codec: spendLimits },
  strict: { written: 'changed', initial: false, codec: flag },
  allowedModels: { written: 'changed', initial: null, codec: list<string>() },
  expiresAt: { written: 'changed', initial: null },
  guard: { written: 'changed', initial: 'on' },
  pausedAt: { written: 'recorded' },
  pauseReason: { written: 'recorded' },
  spendNano: { written: 'recorded' },
} as const satisfies { [Name in keyof StoredKey]-?: Column<StoredKey[Name]> }

type Table = typeof COLUMNS
type NamesWith<Member> = { [Name in keyof Table]: Table[Name] extends Member ? Name : never }[keyof Table]
type Options = NamesWith<{ initial: unknown }>

export type NewKey = Pick<StoredKey, Exclude<NamesWith<{ written: 'created' | 'changed' }>, Options>> &
  Partial<Pick<StoredKey, Options>>

/** Absent members stay as they are. */
export type KeyPatch = { id: string } & Partial<Pick<StoredKey, NamesWith<{ written: 'changed' }>>>

interface AnyColumn {
  written: Column<unknown>['written']
  initial?: unknown
  // Methods, not properties: TypeScript compares their parameters bivariantly, and the column decides their types.
  codec?: { encode(value: unknown): SqlValue; decode(stored: SqlValue): unknown; absent?: unknown }
}

const columns = Object.entries<AnyColumn>(COLUMNS).map(([name, column]) => ({
  ...column,
  name,
  sql: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
}))
const inserted = columns.filter(({ written }) => written !== 'recorded')
const changed = columns.filter(({ written }) => written === 'changed')

type Row = Record<string, SqlValue>

const LIST = columns.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')

const insert = statement<Row, Row>(`
  INSERT INTO keys (${inserted.map(({ sql }) => sql).join(', ')})
  VALUES (${inserted.map(({ name }) => `@${name}`).join(', ')})
  RETURNING ${LIST}`)
const byId = statement<[string], Row>(`SELECT ${LIST} FROM keys WHERE id = ?`)
const all = statement<[], Row>(`SELECT ${LIST} FROM keys ORDER BY created_at, id`)
const update = statement<Row, Row>(`
  UPDATE keys SET ${changed.map(({ name, sql }) => `${sql} = @${name}`).join(', ')}
  WHERE id = @id RETURNING ${LIST}`)
const revoke = statement<[number, string], Row>(
  `UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${LIST}`,
)
const pause = statement<[number | null, string | null, string], Row>(
  `UPDATE keys SET paused_at = ?, pause_reason = ? WHERE id = ? RETURNING ${LIST}`,
)
const touch = statement<[number, string]>(
  'UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
)

/** Throws `conflict` when the id or the secret is taken. */
export function insertKey(db: Db, key: NewKey): StoredKey {
  const row = insert(db).get(toRow(key))
  if (!row) throw new Error('the inserted key did not come back')
  return toKey(row)
}

function toKey(row: Row): StoredKey {
  const values = columns.map(({ name, codec }) => {
    const stored = row[name] ?? null
    if (!codec) return [name, stored]
    return [name, stored === null ? (codec.absent ?? null) : codec.decode(stored)]
  })
  return Object.fromEntries(values)
}

function toRow(key: NewKey): Row {
  const given: { readonly [name: string]: unknown } = key
  return Object.fromEntries(
    inserted.map(({ name, initial, codec }) => {
      const value = given[name] === undefined ? initial : given[name]
      return [name, codec && value !== null ? codec.encode(value) : (value as SqlValue)]
    }),
  )
}

/** The key as it is now; null when there is none, or it is revoked and so can no longer change. */
export function updateKey(db: Db, patch: KeyPatch): StoredKey | null {
  const row = byId(db).get(patch.id)
  if (!row || row.revokedAt !== null) return null
  const updated = update(db).get(toRow({ ...toKey(row), ...patch }))
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
