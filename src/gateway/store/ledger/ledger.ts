// The life of a request row: inserted when the request is admitted, and given its final form when it is settled, exactly once. A crash
// leaves running rows to settle. The transaction that settles a row adds its charge to the totals of the key and the account, of its 15
// minutes and its day, and of its session.

import type { ErrorBody } from '../../../shared/api/errors.ts'
import type { CostStatus, RequestStatus } from '../../../shared/api/requests.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { getBySeq, getRequest } from '../listings/request-log.ts'
import { type Call, runPartWrite } from '../part.ts'
import {
  insertRow,
  type NewRequest,
  type NewRow,
  type SettledColumns,
  type SettledRow,
  type StoredRequest,
  settleRow,
} from '../rows/request-columns.ts'
import { findSession } from '../rows/session-rows.ts'
import { type Db, statement } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'
import * as rollup from '../sums/rollup-columns.ts'
import { addRefusals, addToSession, putSessionTitle } from '../sums/session-sums.ts'
import { encodeDurations } from '../sums/timings.ts'
import { dropIdempotency, type FinishedClaim, finishIdempotency } from './idempotency.ts'

type FinalStatus = Exclude<RequestStatus, 'running' | 'refused' | 'rejected'>

/** How a request ended. With a `costNano` of null, and status `unknown`, nothing is charged: there is no price. */
export interface Settlement extends SettledColumns {
  status: FinalStatus
  costStatus: Exclude<CostStatus, 'pending'>
  settledAt: number
  /** The amount that stays reserved, because the provider may bill more than the charge. */
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
  /** Writes of features in the same transaction. */
  also?: readonly Call[]
}

const statusById = statement<[string], { status: RequestStatus }>('SELECT status FROM requests WHERE id = ?')
const setReserved = statement<[number, string]>(
  "UPDATE requests SET reserved_nano = ? WHERE id = ? AND status = 'running'",
)
const putBodies = statement<[number, string | null, string | null]>(
  'INSERT INTO request_bodies (seq, request, response) VALUES (?, ?, ?)',
)

/** Records a request that is running. Throws `conflict` when there is another with its id. */
export function openRequest(db: Db, request: NewRequest): void {
  insertRow(db, request)
}

/** Records that a running request may cost more than when it was opened: it is sent once more. */
export function raiseReserved(db: Db, { id, nano }: { id: string; nano: NanoUsd }): void {
  setReserved(db).run(nano, id)
}

/**
 * Records the outcome of a running request and charges it. A request that is not running is not changed, so settling twice charges
 * once. Throws for one that was never opened.
 */
export function settleRequest(db: Db, settlement: Settlement): void {
  const { id, hold, bodies, idempotency, also = [] } = settlement
  const row = settleRow(db, settlement)
  if (!row) {
    if (isRecorded(db, id)) return
    throw new StoreError('failed', `The request ${id} was never recorded.`)
  }
  if (hold) putHold(db, row.seq, hold)
  if (bodies) {
    putBodies(db).run(row.seq, bodies.request, bodies.response)
    if (bodies.title && row.session !== null) putSessionTitle(db, row.session, row.seq, bodies.title)
  }
  for (const call of also) runPartWrite(db, call)
  if (idempotency && 'drop' in idempotency) dropIdempotency(db, idempotency.id)
  else if (idempotency) finishIdempotency(db, idempotency)
  charge(db, row, settlement)
}

/** Records a request that is over, whether it was recorded while it ran or not. Recording it twice charges once. */
export function recordSettled(db: Db, request: NewRequest, settlement: Settlement): void {
  if (!isRecorded(db, request.id)) openRequest(db, request)
  settleRequest(db, settlement)
}

function isRecorded(db: Db, id: string): boolean {
  return statusById(db).get(id) !== undefined
}

/** The columns that a charge has from the settlement. */
type ChargedColumns = Pick<
  StoredRequest,
  | ('status' | 'model' | 'provider' | 'tokensIn' | 'tokensOut' | 'usage')
  | ('costNano' | 'worthNano' | 'savedNano' | 'totalMs' | 'firstByteMs')
>

const addToSlot15m = rollup.addToRollup('rollups')
const addToDay = rollup.addToRollup('day_sums')

/** Adds a settled request to all totals. Throws a RangeError when one would leave the range of exact integers. */
export function charge(db: Db, row: SettledRow, settlement: ChargedColumns): void {
  const { status, tokensIn, tokensOut, usage, costNano, worthNano, savedNano, totalMs, firstByteMs } =
    settlement
  const { keyId, createdAt, clientName, session, tag } = row
  const model = settlement.model ?? row.requestedModel
  const provider = settlement.provider ?? ''
  const measures = {
    requests: 1,
    tokensIn,
    tokensOut,
    tokensCached: usage?.cacheRead ?? 0,
    costNano: costNano ?? ZERO_USD,
    worthNano: worthNano ?? ZERO_USD,
    savedNano: savedNano ?? ZERO_USD,
    errors: Number(status === 'failed'),
    unpriced: Number(costNano === null),
  }
  // How long a stored answer took says nothing of its model.
  const isTimed = status === 'succeeded' && savedNano === null
  const timings = isTimed ? encodeDurations(totalMs, firstByteMs) : null
  addToSums(db, { keyId, createdAt, model, provider, clientName, tag }, measures, timings)
  if (session !== null) {
    const endedAt = createdAt + Math.round(totalMs ?? 0)
    addToSession(db, { session, model, provider }, measures, { tag, createdAt, endedAt })
  }
  addSpend(db, keyId, measures.costNano)
}

/** What the sums over time tell apart. */
type SumPlace = Pick<SettledRow, 'keyId' | 'createdAt' | 'clientName' | 'tag'> &
  Record<'model' | 'provider', string>

/** Adds to the sums of the 15 minutes and of the day in which a request was made, however long ago. */
export function addToSums(
  db: Db,
  { keyId, createdAt, model, provider, clientName, tag }: SumPlace,
  measures: rollup.Measures,
  timings: Uint8Array | null = null,
): void {
  const place = [keyId, model, provider, clientName, tag ?? '']
  const day = rollup.rollupDay(createdAt, rollup.rollupTimeZone(db)).start
  addToSlot15m(db, [rollup.findSlot15m(createdAt), ...place], measures, timings)
  addToDay(db, [day, ...place], measures, timings)
}

// JavaScript numbers bind as REAL; the cast keeps the sums in 64-bit integers.
const chargeKey = statement<[number, string], { spend_nano: number }>(
  'UPDATE keys SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = ? RETURNING spend_nano',
)
const chargeAccount = statement<[number], { spend_nano: number }>(
  'UPDATE account SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = 1 RETURNING spend_nano',
)
/** Changes only the key's and the account's spend, by a difference of either sign. Throws a RangeError as `charge` does. */
export function addSpend(db: Db, keyId: string, difference: NanoUsd): void {
  nanoUsd(chargeKey(db).get(difference, keyId)?.spend_nano ?? 0)
  nanoUsd(chargeAccount(db).get(difference)?.spend_nano ?? 0)
}

/** A request that was refused or rejected before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest
  extends Pick<NewRow, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client' | 'totalMs'>,
    Pick<NewRequest, 'endpoint' | 'sessionId' | 'tag' | 'session' | 'features'> {
  /** By default it is refused. A rejected one that names no known model has '' as its model. */
  status?: 'rejected'
  httpStatus: number
  error: ErrorBody
}

/** The number of calls that the row of a refused request represents so far. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

/** The rows of rejected calls that are kept: a client can make any number of different ones. */
const MAX_REJECTED = 500
const dropRejected = statement<[number]>(`
  DELETE FROM requests WHERE seq IN (
    SELECT seq FROM requests WHERE status <> 'succeeded' AND status = 'rejected'
    ORDER BY created_at DESC, seq DESC LIMIT -1 OFFSET ?)`)
const recount = statement<[number, number | null, string]>(
  "UPDATE requests SET count = ?, last_at = ? WHERE id = ? AND status IN ('refused', 'rejected')",
)

/** Records a refused request. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): StoredRequest {
  const seq = insertRow(db, {
    status: 'refused',
    ...request,
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    settledAt: request.createdAt,
  })
  if (request.status === 'rejected') dropRejected(db).run(MAX_REJECTED)
  const session = findSession(db, request.sessionId)
  if (session !== null) {
    const { tag = null, createdAt } = request
    addRefusals(db, { session, tag, count: 1, at: createdAt })
  }
  return getBySeq(db, seq)
}

/** Updates the number of calls that the row of a refused request represents. Null when the row has been pruned. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): StoredRequest | null {
  const before = getRequest(db, id)
  if (recount(db).run(count, lastAt, id).changes === 0) return null
  const session = findSession(db, before?.sessionId)
  if (before && session !== null) {
    addRefusals(db, { session, count: count - before.count, at: lastAt ?? before.createdAt })
  }
  return getRequest(db, id)
}

// Amounts that stay reserved after a request, because its provider may bill more than was charged.

/** Milliseconds for which an amount is held under limits that are not strict. */
export const HOLD_MS = 3_600_000
/** The time under strict limits. */
export const STRICT_HOLD_MS = 24 * HOLD_MS

export interface Hold {
  nano: NanoUsd
  /** Epoch milliseconds. */
  until: number
}

export interface StoredHold extends Hold {
  request: StoredRequest
}

const put = statement<[number, number, number]>(
  'INSERT OR REPLACE INTO holds (seq, held_nano, held_until) VALUES (?, CAST(? AS INTEGER), CAST(? AS INTEGER))',
)
const all = statement<[], Hold & { seq: number }>(
  'SELECT seq, held_nano AS nano, held_until AS until FROM holds',
)
const removeExpired = statement<[number]>('DELETE FROM holds WHERE held_until <= ?')
const remove = statement<[string]>('DELETE FROM holds WHERE seq = (SELECT seq FROM requests WHERE id = ?)')
const strictKey = statement<[string], { strict: number }>('SELECT strict FROM keys WHERE id = ?')
const strictAccount = statement<[], { strict: number | null }>(
  "SELECT json_extract(value, '$.strictLimits') AS strict FROM settings WHERE name = 'settings'",
)

/** Holds nothing for an amount of zero. */
function putHold(db: Db, seq: number, { nano, until }: Hold): void {
  if (nano > 0) put(db).run(seq, nano, until)
}

/** Epoch milliseconds until which an amount of the key is held from now on. */
export function getHoldEnd(db: Db, keyId: string, now: number): number {
  const isStrict = strictKey(db).get(keyId)?.strict === 1 || strictAccount(db).get()?.strict === 1
  return now + (isStrict ? STRICT_HOLD_MS : HOLD_MS)
}

/** Deletes the holds that have ended, and returns the others. */
export function loadHolds(db: Db, { now }: { now: number }): StoredHold[] {
  removeExpired(db).run(now)
  return all(db)
    .all()
    .map(({ seq, ...hold }) => ({ request: getBySeq(db, seq), ...hold }))
}

/** Ends the hold of a request, if it has one. */
export function removeHold(db: Db, id: string): void {
  remove(db).run(id)
}
