// The life of a request row: inserted when the request is admitted, settled exactly once.
import type { NanoUsd } from '../../../shared/money.ts'
import type { CostStatus, RequestStatus } from '../../../shared/requests.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'
import { putSessionTitle } from '../sums/session-sums.ts'
import { charge, chargeAll, spendSoFar } from './charge-totals.ts'
import { type Hold, putHold } from './holds.ts'
import { dropIdempotency, type FinishedClaim, finishIdempotency } from './idempotency.ts'
import { insertRefused, insertRow, type NewRequest, type RefusedRequest } from './new-requests.ts'
import { encodeId } from './request-codecs.ts'
import { type Charge, encodeSettled, INSERT_SETTLED, type SettledColumns } from './request-columns.ts'
import { sessionsOf } from './session-numbers.ts'
import { textsOf } from './texts.ts'

type FinalStatus = Exclude<RequestStatus, 'running' | 'refused' | 'rejected'>

/** How a request ended. With a `costNano` of null, and status `unknown`, nothing is charged: there is no price. */
export interface Settlement extends SettledColumns {
  status: FinalStatus
  costStatus: Exclude<CostStatus, 'pending'>
  settledAt: number
  /** What stays reserved, because the provider may bill more than the charge. */
  hold?: Hold
  /** Only when the user has turned on storing prompts and answers. */
  bodies?: {
    request: string | null
    response: string | null
    /** The first words of the prompt, if the session has no title yet. */
    title?: string
  }
  /** Stores the sealed answer for replays, or deletes the claim so that the key can be used again. */
  idempotency?: FinishedClaim | { id: string; drop: true }
}

export interface SettleResult {
  /** False when the request was settled before: nothing was changed. */
  applied: boolean
  keySpendNano: NanoUsd
  accountSpendNano: NanoUsd
}

/** A request that is over. */
export type FinishedRequest = { refused: RefusedRequest } | { opened: NewRequest; settled: Settlement }

/** What a settlement takes from the row of the running request. */
type Opened = 'keyId' | 'createdAt' | 'requestedModel' | 'client' | 'tag'

/** A request that is moved from the running ones to the settled ones. */
interface Moved {
  seq: number
  keyId: SqlValue
  createdAt: number
  requestedModel: SqlValue
  client: SqlValue
  session: number | null
  tag: SqlValue
}

const settle = statement<SqlValue[], Moved>(`
  ${INSERT_SETTLED} RETURNING
    seq, key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, client, session, tag`)
const seqOfRunning = statement<[SqlValue], { seq: number }>('SELECT seq FROM running WHERE id = ?')
const removeRunning = statement<[number]>('DELETE FROM running WHERE seq = ?')
const keyOf = statement<[SqlValue], { keyId: SqlValue }>('SELECT key_id AS keyId FROM requests WHERE id = ?')
const putBodies = statement<[number, string | null, string | null]>(
  'INSERT INTO request_bodies (seq, request, response) VALUES (?, ?, ?)',
)

/** Records a request that is running. Throws `conflict` when another that runs has its id. */
export function openRequest(db: Db, request: NewRequest): void {
  insertRow(db, 'running', request)
}

/**
 * Records a running request's outcome and charges it. A request that is not running is not changed, so settling
 * twice charges once. Throws for one that was never opened.
 */
export function settleRequest(db: Db, settlement: Settlement): SettleResult {
  const charged = moveToSettled(db, settlement)
  if (charged) return { applied: true, ...charge(db, charged) }
  const settled = keyOf(db).get(encodeId(settlement.id))
  if (!settled) throw neverRecorded(settlement)
  return { applied: false, ...spendSoFar(db, textsOf(db).textOf(settled.keyId)) }
}

/**
 * Opens and settles the requests of a batch as `openRequest` and `settleRequest` do, but writes a request that is in both
 * once, and changes each sum once.
 */
export function recordRequests(
  db: Db,
  opened: readonly NewRequest[],
  settlements: readonly Settlement[],
): void {
  const waiting = new Map(opened.map((request) => [request.id, request]))
  if (waiting.size < opened.length) throw new StoreError('conflict', 'Two requests have the same id.')
  const charges: Charge[] = []
  for (const settlement of settlements) {
    const request = waiting.get(settlement.id)
    const charged = request ? insertSettled(db, request, settlement) : moveToSettled(db, settlement)
    if (request) waiting.delete(request.id)
    if (charged) charges.push(charged)
    else if (!keyOf(db).get(encodeId(settlement.id))) throw neverRecorded(settlement)
  }
  for (const request of waiting.values()) openRequest(db, request)
  chargeAll(db, charges)
}

function neverRecorded({ id }: Settlement): StoreError {
  return new StoreError('failed', `The request ${id} was never recorded.`)
}

/** Records a request that is over, whether it was recorded while it ran or not. Recording it twice charges once. */
export function recordSettled(db: Db, request: NewRequest, settlement: Settlement): void {
  const id = encodeId(request.id)
  if (seqOfRunning(db).get(id)) settleRequest(db, settlement)
  else if (!keyOf(db).get(id)) charge(db, insertSettled(db, request, settlement))
}

/** Records many new requests in order, with one change of each sum, for data that is made at once. */
export function recordFinished(db: Db, requests: readonly FinishedRequest[]): void {
  const charges: Charge[] = []
  for (const request of requests) {
    if ('refused' in request) insertRefused(db, request.refused)
    else charges.push(insertSettled(db, request.opened, request.settled))
  }
  chargeAll(db, charges)
}

/** Writes all but the sums of a request that is not recorded yet. Returns what is to be added to them. */
function insertSettled(db: Db, request: NewRequest, settlement: Settlement): Charge {
  const seq = insertRow(db, 'requests', { ...request, ...settlement })
  const session = request.sessionId ? sessionsOf(db).find(request.sessionId) : null
  putCompanions(db, { seq, session }, settlement)
  return chargeOf(request, session, settlement)
}

/** Writes all that a settlement writes but the sums. Returns what is to be added to them; null if it is not running. */
function moveToSettled(db: Db, settlement: Settlement): Charge | null {
  const moved = settle(db).get(...encodeSettled(db, settlement), encodeId(settlement.id))
  if (!moved) return null
  removeRunning(db).run(moved.seq)
  const session = moved.session === null ? null : BigInt(moved.session)
  putCompanions(db, { seq: moved.seq, session }, settlement)
  const texts = textsOf(db)
  const opened = {
    keyId: texts.textOf(moved.keyId),
    createdAt: moved.createdAt,
    requestedModel: texts.textOf(moved.requestedModel),
    client: moved.client === null ? null : texts.textOf(moved.client),
    tag: moved.tag === null ? null : texts.textOf(moved.tag),
  }
  return chargeOf(opened, session, settlement)
}

function putCompanions(
  db: Db,
  { seq, session }: { seq: number; session: bigint | null },
  { hold, bodies, idempotency }: Settlement,
): void {
  if (hold) putHold(db, seq, hold)
  if (bodies) {
    putBodies(db).run(seq, bodies.request, bodies.response)
    if (bodies.title && session !== null) putSessionTitle(db, session, seq, bodies.title)
  }
  if (!idempotency) return
  if ('drop' in idempotency) dropIdempotency(db, idempotency.id)
  else finishIdempotency(db, idempotency)
}

function chargeOf(
  { keyId, createdAt, requestedModel, client, tag = null }: Pick<NewRequest, Opened>,
  session: bigint | null,
  settlement: Settlement,
): Charge {
  const { model, provider } = settlement
  return {
    ...settlement,
    keyId,
    createdAt,
    model: model ?? requestedModel,
    provider: provider ?? '',
    client,
    session,
    tag,
  }
}
