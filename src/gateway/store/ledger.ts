// The life of a request row: inserted when the request is admitted or refused, settled exactly once.
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { CostStatus, RequestStatus } from '../../shared/requests.ts'
import { charge, spendSoFar } from './charge-totals.ts'
import { dropIdempotency, type FinishedClaim, finishIdempotency } from './idempotency.ts'
import {
  decodeRow,
  type EncodedRow,
  encodeRow,
  INITIAL_ROW,
  INSERT_ROW,
  type NewRow,
  SETTLED_ASSIGNMENTS,
  type SettledColumns,
  type StoredRequest,
  selectList,
} from './request-columns.ts'
import { type Db, statement } from './statement.ts'
import { StoreError } from './store-error.ts'

export type NewRequest = Omit<NewRow, 'status' | 'costStatus'>

type FinalStatus = Exclude<RequestStatus, 'running' | 'refused' | 'rejected'>

/** How a request ended. With a `costNano` of null, and status `unknown`, nothing is charged: there is no price. */
export interface Settlement extends SettledColumns {
  status: FinalStatus
  costStatus: Exclude<CostStatus, 'pending'>
  settledAt: number
  /** Only when the user has turned on storing prompts and answers. */
  bodies?: { request: string | null; response: string | null }
  /** Stores the sealed answer for replays, or deletes the claim so that the key can be used again. */
  idempotency?: FinishedClaim | { id: string; drop: true }
}

export interface SettleResult {
  /** False when the request was settled before: nothing was changed. */
  applied: boolean
  keySpendNano: NanoUsd
  accountSpendNano: NanoUsd
}

/** A request that was refused before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest
  extends Pick<NewRow, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client' | 'totalMs'> {
  httpStatus: number
  error: ErrorBody
}

/** The number of calls that the row of a refused request represents so far. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

/** No bodies are stored before a request is settled, and none for a refused one. */
const WITHOUT_BODIES = selectList('0')

const open = statement<object>(INSERT_ROW)
const insert = statement<object, EncodedRow>(`${INSERT_ROW} RETURNING ${WITHOUT_BODIES}`)
const settle = statement<object, Pick<StoredRequest, 'keyId' | 'createdAt' | 'requestedModel' | 'client'>>(`
  UPDATE requests SET ${SETTLED_ASSIGNMENTS} WHERE id = @id AND status = 'running'
  RETURNING key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, client`)
const keyOf = statement<[string], { keyId: string }>('SELECT key_id AS keyId FROM requests WHERE id = ?')
const recount = statement<RefusedCount, EncodedRow>(`
  UPDATE requests SET count = @count, last_at = @lastAt WHERE id = @id AND status = 'refused'
  RETURNING ${WITHOUT_BODIES}`)
const putBodies = statement<[string, string | null, string | null]>(
  'INSERT OR REPLACE INTO request_bodies (request_id, request, response) VALUES (?, ?, ?)',
)

/** Records a request that is running. Throws `conflict` when its id is taken. */
export function openRequest(db: Db, request: NewRequest): void {
  open(db).run(encodeRow({ ...INITIAL_ROW, ...request }))
}

/**
 * Records a running request's outcome and charges it. A request that is not running is not changed, so settling
 * twice charges once. Throws for one that was never opened.
 */
export function settleRequest(db: Db, settlement: Settlement): SettleResult {
  const { id, bodies, idempotency, model, provider, tokensIn, tokensOut, costNano } = settlement
  const settled = settle(db).get(encodeRow(settlement))
  if (!settled) {
    const opened = keyOf(db).get(id)
    if (!opened) throw new StoreError('failed', `The request ${id} was never recorded.`)
    return { applied: false, ...spendSoFar(db, opened.keyId) }
  }
  if (bodies) putBodies(db).run(id, bodies.request, bodies.response)
  if (idempotency) {
    if ('drop' in idempotency) dropIdempotency(db, idempotency.id)
    else finishIdempotency(db, idempotency)
  }
  const spend = charge(db, {
    keyId: settled.keyId,
    createdAt: settled.createdAt,
    model: model ?? settled.requestedModel,
    provider: provider ?? '',
    client: settled.client,
    tokensIn,
    tokensOut,
    costNano: costNano ?? ZERO_USD,
  })
  return { applied: true, ...spend }
}

/** Records a request that could not be recorded while it ran. */
export function recordSettled(db: Db, request: NewRequest, settlement: Settlement): void {
  if (!keyOf(db).get(request.id)) openRequest(db, request)
  settleRequest(db, settlement)
}

/** Records a refused request. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): StoredRequest {
  const row = {
    ...INITIAL_ROW,
    ...request,
    status: 'refused',
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    settledAt: request.createdAt,
  } as const
  const inserted = insert(db).get(encodeRow(row))
  if (!inserted) throw new Error('the inserted request did not come back')
  return decodeRow(inserted)
}

/** Updates the number of calls that the row of a refused request represents. Null when the row has been pruned. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): StoredRequest | null {
  const row = recount(db).get({ id, count, lastAt })
  return row ? decodeRow(row) : null
}
