// Owns the claims of idempotency keys and the sealed answers kept for them. Knows nothing of how they are sealed.

import type { IdempotencyState, StoredIdempotency } from './rows.ts'
import { type Db, statement } from './statement.ts'
import type { ClaimResult, IdempotencyClaim } from './types.ts'

interface IdempotencyRow {
  id: string
  key_id: string
  body_hash: Uint8Array
  state: IdempotencyState
  request_id: string | null
  created_at: number
  status: number | null
  sealed: Uint8Array | null
}

const byId = statement<[string], IdempotencyRow>('SELECT * FROM idempotency WHERE id = ?')
const insert = statement<[string, string, Uint8Array, string | null, number]>(`
  INSERT INTO idempotency (id, key_id, body_hash, state, request_id, created_at) VALUES (?, ?, ?, 'running', ?, ?)`)
const finish = statement<[number, Uint8Array, string]>(
  "UPDATE idempotency SET state = 'done', status = ?, sealed = ? WHERE id = ? AND state = 'running'",
)
const drop = statement<[string]>('DELETE FROM idempotency WHERE id = ?')
const sweep = statement<[number]>("DELETE FROM idempotency WHERE created_at < ? AND state <> 'running'")
const loseTrack = statement<[]>("UPDATE idempotency SET state = 'unknown' WHERE state = 'running'")

/** Takes the key for a request that is about to run; `requestId` names the ledger row that belongs to it. */
export function claimIdempotency(
  db: Db,
  claim: IdempotencyClaim & { requestId?: string | null },
): ClaimResult {
  const existing = findIdempotency(db, claim.id)
  if (existing) {
    const expired = existing.state !== 'running' && existing.createdAt < (claim.expiredBefore ?? 0)
    if (!expired) return { claimed: false, existing }
    drop(db).run(claim.id)
  }
  insert(db).run(claim.id, claim.keyId, claim.bodyHash, claim.requestId ?? null, claim.createdAt)
  return { claimed: true }
}

/** Keeps the answer. Nothing happens unless the claim is still running. */
export function finishIdempotency(
  db: Db,
  { id, status, sealed }: { id: string; status: number; sealed: Uint8Array },
): { applied: boolean } {
  return { applied: finish(db).run(status, sealed, id).changes > 0 }
}

export function dropIdempotency(db: Db, id: string): { applied: boolean } {
  return { applied: drop(db).run(id).changes > 0 }
}

/** Forgets what was claimed before `before` (a moment), except what still runs. */
export function sweepIdempotency(db: Db, before: number): { deleted: number } {
  return { deleted: sweep(db).run(before).changes }
}

/** The process that ran these is gone, and whether they took effect is not known. */
export function loseTrackOfRunning(db: Db): void {
  loseTrack(db).run()
}

export function findIdempotency(db: Db, id: string): StoredIdempotency | null {
  const row = byId(db).get(id)
  if (!row) return null
  return {
    id: row.id,
    keyId: row.key_id,
    bodyHash: row.body_hash,
    state: row.state,
    requestId: row.request_id,
    createdAt: row.created_at,
    status: row.status,
    sealed: row.sealed,
  }
}
