// The life of a request row: inserted when the request is admitted or refused, settled exactly once.
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { CostStatus, RequestStatus } from '../../shared/requests.ts'
import type { Charge } from './charge.ts'
import { charge, chargeAll, spendSoFar } from './charge-totals.ts'
import { dropIdempotency, type FinishedClaim, finishIdempotency } from './idempotency.ts'
import { requireKey } from './known-keys.ts'
import { encodeId, STATUS_CODES } from './request-codecs.ts'
import {
  encodeRow,
  encodeSettled,
  INSERT_SETTLED,
  insertInto,
  type NewRow,
  type SettledColumns,
  type StoredRequest,
} from './request-columns.ts'
import { getRequest } from './request-log.ts'
import { type NewSession, sessionsOf } from './session-numbers.ts'
import { addRefusals, putSessionTitle } from './session-sums.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { StoreError } from './store-error.ts'
import { textsOf } from './texts.ts'

/** `session`: what is known of the session `sessionId`, so that it gets a row with its first request. */
export type NewRequest = Omit<NewRow, 'status' | 'costStatus'> & { session?: NewSession }

type FinalStatus = Exclude<RequestStatus, 'running' | 'refused' | 'rejected'>

/** How a request ended. With a `costNano` of null, and status `unknown`, nothing is charged: there is no price. */
export interface Settlement extends SettledColumns {
  status: FinalStatus
  costStatus: Exclude<CostStatus, 'pending'>
  settledAt: number
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

/** A request that was refused before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest
  extends Pick<NewRow, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client' | 'totalMs'>,
    Pick<NewRequest, 'sessionId' | 'tag' | 'session'> {
  httpStatus: number
  error: ErrorBody
}

/** A request that is over. */
export type FinishedRequest = { refused: RefusedRequest } | { opened: NewRequest; settled: Settlement }

/** The number of calls that the row of a refused request represents so far. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

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

const open = statement<SqlValue[]>(insertInto('running'))
const insert = statement<SqlValue[]>(insertInto('requests'))
const settle = statement<SqlValue[], Moved>(`
  ${INSERT_SETTLED} RETURNING
    seq, key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, client, session, tag`)
const seqOfRunning = statement<[SqlValue], { seq: number }>('SELECT seq FROM running WHERE id = ?')
const removeRunning = statement<[number]>('DELETE FROM running WHERE seq = ?')
const keyOf = statement<[SqlValue], { keyId: SqlValue }>('SELECT key_id AS keyId FROM requests WHERE id = ?')
const recount = statement<[number, number | null, SqlValue]>(
  `UPDATE requests SET count = ?, last_at = ? WHERE id = ? AND status = ${STATUS_CODES.refused}`,
)
const putBodies = statement<[number, string | null, string | null]>(
  'INSERT INTO request_bodies (seq, request, response) VALUES (?, ?, ?)',
)

/** Records a request that is running. Throws `conflict` when another that runs has its id. */
export function openRequest(db: Db, request: NewRequest): void {
  requireKey(db, request.keyId)
  putSession(db, request)
  open(db).run(...encodeRow(db, request))
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
  const seq = insertRow(db, { ...request, ...settlement })
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
  { bodies, idempotency }: Settlement,
): void {
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

/** Records a refused request. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): StoredRequest {
  insertRefused(db, request)
  const inserted = getRequest(db, request.id)
  if (!inserted) throw new Error('the inserted request did not come back')
  return inserted
}

function insertRefused(db: Db, request: RefusedRequest): void {
  insertRow(db, {
    ...request,
    status: 'refused',
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    settledAt: request.createdAt,
  })
  const session = request.sessionId ? sessionsOf(db).find(request.sessionId) : null
  if (session !== null) {
    const { tag = null, createdAt } = request
    addRefusals(db, { session, tag, count: 1, at: createdAt })
  }
}

/** Returns its `seq`. */
function insertRow(db: Db, row: NewRow & Pick<NewRequest, 'session'>): number {
  requireKey(db, row.keyId)
  putSession(db, row)
  return Number(insert(db).run(...encodeRow(db, row)).lastInsertRowid)
}

function putSession(db: Db, { session, createdAt }: Pick<NewRequest, 'session' | 'createdAt'>): void {
  if (session) sessionsOf(db).put(session, createdAt)
}

/** Updates the number of calls that the row of a refused request represents. Null when the row has been pruned. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): StoredRequest | null {
  const before = getRequest(db, id)
  if (recount(db).run(count, lastAt, encodeId(id)).changes === 0) return null
  const session = before?.sessionId ? sessionsOf(db).find(before.sessionId) : null
  if (before && session !== null) {
    addRefusals(db, { session, count: count - before.count, at: lastAt ?? before.createdAt })
  }
  return getRequest(db, id)
}
