// Owns how a request comes into the ledger, is settled exactly once and leaves it. Knows nothing of prices or caps:
// it charges what it is told.
import { ZERO_USD } from '../../shared/money.ts'
import { charge, spendSoFar } from './charge-totals.ts'
import { claimIdempotency, dropIdempotency, finishIdempotency } from './idempotency.ts'
import type { RequestRow } from './request-row.ts'
import { type Db, statement, toFlag, toJson } from './statement.ts'
import type {
  NewRequest,
  OpenResult,
  RefusedCount,
  RefusedRequest,
  Settlement,
  SettleResult,
} from './types.ts'

const open = statement<object>(`
  INSERT INTO requests (
    id, created_at, key_id, requested_model, model, provider, stream, status, tokens_in, cost_status,
    reserved_nano, estimate_nano, price, queue_ms, client
  ) VALUES (
    @id, @createdAt, @keyId, @requestedModel, @model, @provider, @stream, 'running', @tokensIn, 'pending',
    @reservedNano, @estimateNano, @price, @queueMs, @client
  )`)
const settle = statement<object, RequestRow>(`
  UPDATE requests SET
    status = @status, http_status = @httpStatus, error = @error, model = @model, provider = @provider,
    tokens_in = @tokensIn, tokens_out = @tokensOut, usage = @usage, cost_nano = @costNano,
    cost_status = @costStatus, cost_low_nano = @costLowNano, cost_high_nano = @costHighNano, price = @price,
    attempts = @attempts, queue_ms = @queueMs, first_byte_ms = @firstByteMs, total_ms = @totalMs,
    settled_at = @settledAt
  WHERE id = @id AND status = 'running'
  RETURNING *`)
const keyOf = statement<[string], { key_id: string }>('SELECT key_id FROM requests WHERE id = ?')
const refuse = statement<object>(`
  INSERT INTO requests (
    id, created_at, key_id, requested_model, stream, status, http_status, error, cost_nano, cost_status,
    reserved_nano, queue_ms, total_ms, client, settled_at
  ) VALUES (
    @id, @createdAt, @keyId, @requestedModel, @stream, 'refused', @httpStatus, @error, 0, 'free',
    0, @queueMs, @totalMs, @client, @createdAt
  )`)
const recount = statement<RefusedCount>(
  "UPDATE requests SET count = @count, last_at = @lastAt WHERE id = @id AND status = 'refused'",
)
const putBodies = statement<[string, string | null, string | null]>(
  'INSERT OR REPLACE INTO request_bodies (request_id, request, response) VALUES (?, ?, ?)',
)

/** Writes the request down before anything is sent upstream. Throws `conflict` when its id is taken. */
export function openRequest(db: Db, request: NewRequest): OpenResult {
  const { idempotency, ...row } = request
  if (idempotency) {
    const claim = claimIdempotency(db, { ...idempotency, requestId: request.id })
    if (!claim.claimed) return { opened: false, existing: claim.existing }
  }
  const { lastInsertRowid } = open(db).run({
    ...row,
    model: row.model ?? null,
    provider: row.provider ?? null,
    stream: toFlag(row.stream),
    tokensIn: row.tokensIn ?? 0,
    price: toJson(row.price),
    queueMs: row.queueMs ?? null,
  })
  return { opened: true, seq: Number(lastInsertRowid) }
}

/**
 * Gives a running request its outcome and charges it. A request that is not running is left alone, so settling
 * twice charges once.
 */
export function settleRequest(db: Db, settlement: Settlement): SettleResult {
  const { timings, bodies, idempotency, ...row } = settlement
  const settled = settle(db).get({
    ...row,
    ...timings,
    error: toJson(row.error),
    usage: toJson(row.usage),
    price: toJson(row.price),
    attempts: JSON.stringify(row.attempts),
  })
  if (!settled) {
    return { applied: false, ...spendSoFar(db, keyOf(db).get(settlement.id)?.key_id ?? '') }
  }
  if (bodies) putBodies(db).run(settlement.id, bodies.request, bodies.response)
  if (idempotency) {
    if ('drop' in idempotency) dropIdempotency(db, idempotency.id)
    else finishIdempotency(db, idempotency)
  }
  const spend = charge(db, {
    keyId: settled.key_id,
    createdAt: settled.created_at,
    model: row.model ?? settled.requested_model,
    provider: row.provider ?? '',
    client: settled.client,
    tokensIn: row.tokensIn,
    tokensOut: row.tokensOut,
    costNano: row.costNano ?? ZERO_USD,
  })
  return { applied: true, ...spend }
}

/** Writes down a request that was turned away. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): void {
  refuse(db).run({
    ...request,
    stream: toFlag(request.stream),
    error: JSON.stringify(request.error),
    queueMs: request.queueMs ?? null,
    totalMs: request.totalMs ?? null,
  })
}

/** Says how many calls the row of a refused request stands for. A row that is pruned by now is left alone. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): void {
  recount(db).run({ id, count, lastAt })
}
