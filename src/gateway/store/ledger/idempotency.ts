// The claims of idempotency keys, and the sealed answers stored for them.
import { type Db, statement } from '../sql/statement.ts'

export interface IdempotencyClaim {
  /** Hash of caller, method, path and the caller's idempotency key. */
  id: string
  keyId: string
  bodyHash: Uint8Array
  createdAt: number
  /** A claim from before this moment has expired and is replaced, unless its request is still running. */
  expiredBefore?: number
}

export interface StoredIdempotency {
  id: string
  state: 'running' | 'done' | 'unknown'
  bodyHash: Uint8Array
  createdAt: number
  /** HTTP status of the stored answer; null until it is done. */
  status: number | null
  /** Sealed headers and body; opaque here. */
  sealed: Uint8Array | null
}

export type ClaimResult = { claimed: true } | { claimed: false; existing: StoredIdempotency }

export interface FinishedClaim {
  id: string
  status: number
  sealed: Uint8Array
}

const byId = statement<[string], StoredIdempotency>(`
  SELECT id, state, body_hash AS bodyHash, created_at AS createdAt, status, sealed FROM idempotency WHERE id = ?`)
const insert = statement<[string, string, Uint8Array, number]>(`
  INSERT INTO idempotency (id, key_id, body_hash, state, created_at) VALUES (?, ?, ?, 'running', ?)`)
const finish = statement<[number, Uint8Array, string]>(
  "UPDATE idempotency SET state = 'done', status = ?, sealed = ? WHERE id = ? AND state = 'running'",
)
const drop = statement<[string]>('DELETE FROM idempotency WHERE id = ?')
const sweep = statement<[number]>("DELETE FROM idempotency WHERE created_at < ? AND state <> 'running'")

/** Claims the key for a request that is about to run. */
export function claimIdempotency(db: Db, claim: IdempotencyClaim): ClaimResult {
  const existing = byId(db).get(claim.id)
  if (existing) {
    const expired = existing.state !== 'running' && existing.createdAt < (claim.expiredBefore ?? 0)
    if (!expired) return { claimed: false, existing }
    drop(db).run(claim.id)
  }
  insert(db).run(claim.id, claim.keyId, claim.bodyHash, claim.createdAt)
  return { claimed: true }
}

/** Stores the answer. Does nothing unless the claim is still running. */
export function finishIdempotency(db: Db, { id, status, sealed }: FinishedClaim): { applied: boolean } {
  return { applied: finish(db).run(status, sealed, id).changes > 0 }
}

export function dropIdempotency(db: Db, id: string): { applied: boolean } {
  return { applied: drop(db).run(id).changes > 0 }
}

/** Deletes what was claimed before `before` (a moment), except for requests that are still running. */
export function sweepIdempotency(db: Db, before: number): { deleted: number } {
  return { deleted: sweep(db).run(before).changes }
}
