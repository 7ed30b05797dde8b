// How the outcome of a request becomes what is written to its row.
import type { NanoUsd } from '../../shared/money.ts'
import type { AnswerSealer } from '../idempotency/idempotency.ts'
import {
  INITIAL_ROW,
  type NewRequest,
  type RefusedCount,
  type RefusedRequest,
  type Settlement,
  type StoredRequest,
} from '../store/store.ts'
import type { Charge } from './charge.ts'
import type { RequestAborted } from './in-flight.ts'

type Measured =
  | 'status'
  | 'httpStatus'
  | 'error'
  | 'model'
  | 'provider'
  | 'attempts'
  | 'firstByteMs'
  | 'totalMs'

/** How a request ended, and the charge. */
export interface Outcome extends Pick<Settlement, Measured> {
  charge: Charge
  /** What the provider may bill beyond the charge, which stays reserved for a while. */
  heldNano?: NanoUsd
  bodies?: Settlement['bodies'] | undefined
  idempotency?: Settlement['idempotency'] | undefined
  /** Seals what is stored for replays instead if the client does not get the answer. */
  sealUnknown?: AnswerSealer['sealUnknown'] | undefined
}

/** A refused request, and how often it was repeated. */
export type Refusal = RefusedRequest & RefusedCount

/** The row of a running request, as the store holds it. Only the store's own rows have their number. */
export function openedRow({ session: _session, ...request }: NewRequest): StoredRequest {
  return { ...INITIAL_ROW, ...request, seq: 0, bodiesKept: false }
}

/** What is written of the outcome. */
export function settlementOf(request: NewRequest, outcome: Outcome, settledAt: number): Settlement {
  const { charge, bodies, idempotency } = outcome
  const settlement: Settlement = {
    id: request.id,
    model: outcome.model,
    provider: outcome.provider,
    status: outcome.status,
    httpStatus: outcome.httpStatus,
    error: outcome.error,
    tokensIn: charge.tokensIn,
    tokensOut: charge.tokensOut,
    usage: charge.usage,
    costNano: charge.costNano,
    costStatus: charge.costStatus,
    costLowNano: charge.costLowNano,
    costHighNano: charge.costHighNano,
    price: charge.price,
    attempts: outcome.attempts,
    queueMs: request.queueMs ?? null,
    firstByteMs: outcome.firstByteMs,
    totalMs: outcome.totalMs,
    settledAt,
  }
  if (bodies) settlement.bodies = bodies
  if (idempotency) settlement.idempotency = idempotency
  return settlement
}

/** The row of a settled request, as the store holds it. */
export function settledRow(
  request: NewRequest,
  { bodies, hold: _hold, idempotency: _idempotency, ...settled }: Settlement,
): StoredRequest {
  return { ...openedRow(request), ...settled, bodiesKept: bodies !== undefined }
}

/**
 * The settlement of an answer that the client did not get to its end, because the request could not be recorded in time.
 * What it cost stays, and a repetition learns that the answer is not known.
 */
export function failedSettlement(
  settlement: Settlement,
  { status, body }: RequestAborted,
  { stream }: Pick<NewRequest, 'stream'>,
  sealUnknown: Outcome['sealUnknown'],
): Settlement {
  const { idempotency } = settlement
  const isSealed = idempotency !== undefined && 'sealed' in idempotency
  const late = isSealed && sealUnknown ? { ...settlement, idempotency: sealUnknown() } : settlement
  if (settlement.status !== 'succeeded') return late
  // A stream has begun with another status.
  return { ...late, status: 'failed', httpStatus: stream ? settlement.httpStatus : status, error: body }
}
