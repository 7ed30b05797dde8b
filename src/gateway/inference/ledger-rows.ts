// Owns how a request's life looks as a row: opened, refused, settled. Pure; the ledger writes them, the events show them.
import type { ErrorBody } from '../../shared/errors.ts'
import { ZERO_USD } from '../../shared/money.ts'
import type { StoredRequest } from '../store/rows.ts'
import type { NewRequest, RefusedCount, RefusedRequest, Settlement } from '../store/types.ts'
import type { Charge } from './charge.ts'

/** How a request ended. */
export interface Outcome {
  status: Settlement['status']
  httpStatus: number | null
  error: ErrorBody | null
  charge: Charge
  model: string | null
  provider: string | null
  attempts: StoredRequest['attempts']
  firstByteMs: number | null
  totalMs: number
  bodies?: { request: string | null; response: string | null } | undefined
  idempotency?: NonNullable<Settlement['idempotency']> | undefined
}

/** The row of a request that has just been written down. */
export function runningRow(request: NewRequest, seq: number): StoredRequest {
  return {
    ...blank(request),
    seq,
    model: request.model ?? null,
    provider: request.provider ?? null,
    status: 'running',
    httpStatus: null,
    error: null,
    tokensIn: request.tokensIn ?? 0,
    costNano: null,
    costStatus: 'pending',
    reservedNano: request.reservedNano,
    estimateNano: request.estimateNano,
    price: request.price ?? null,
    timings: { queueMs: request.queueMs ?? null, firstByteMs: null, totalMs: null },
    settledAt: null,
  }
}

/** A request that was turned away, and how often it came again. */
export type Refusal = RefusedRequest & RefusedCount

/** The row of a request that was turned away. */
export function refusedRow(request: Refusal): StoredRequest {
  return {
    ...blank(request),
    count: request.count,
    lastAt: request.lastAt,
    seq: 0,
    model: null,
    provider: null,
    status: 'refused',
    httpStatus: request.httpStatus,
    error: request.error,
    tokensIn: 0,
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    price: null,
    timings: { queueMs: request.queueMs ?? null, firstByteMs: null, totalMs: request.totalMs ?? null },
    settledAt: request.createdAt,
  }
}

type Known = Pick<StoredRequest, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client'>

function blank({ id, createdAt, keyId, requestedModel, stream, client }: Known) {
  return {
    id,
    createdAt,
    keyId,
    requestedModel,
    stream,
    client,
    tokensOut: 0,
    usage: null,
    costLowNano: null,
    costHighNano: null,
    attempts: [],
    count: 1,
    lastAt: null,
    bodiesKept: false,
  }
}

/** What the store is told of how a request ended. */
export function settlementOf(row: StoredRequest, outcome: Outcome, settledAt: number): Settlement {
  const { charge, firstByteMs, totalMs, bodies, idempotency, ...rest } = outcome
  return {
    ...rest,
    ...charge,
    id: row.id,
    timings: { queueMs: row.timings.queueMs, firstByteMs, totalMs },
    settledAt,
    ...(bodies ? { bodies } : {}),
    ...(idempotency ? { idempotency } : {}),
  }
}

/** What the settlement changes of the row. */
export function settledFields({
  bodies,
  idempotency: _idempotency,
  ...row
}: Settlement): Partial<StoredRequest> {
  return { ...row, bodiesKept: bodies !== undefined }
}
