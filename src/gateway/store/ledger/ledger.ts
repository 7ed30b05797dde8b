// The life of a request row: inserted into `running` when the request is admitted, and moved to `requests` in its final form when it
// is settled, exactly once, so that no index changes later. A crash leaves only rows of `running` to settle. The transaction that moves
// it adds the charge to the totals of the key and the account, of its 15 minutes and its day, and of its session.

import type { ErrorBody } from '../../../shared/api/errors.ts'
import type { CostStatus, RequestStatus } from '../../../shared/api/requests.ts'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'
import { getBySeq, getRequest } from '../listings/request-log.ts'
import { clientName } from '../sums/client-name.ts'
import * as rollup from '../sums/rollup-columns.ts'
import { addRefusals, addToSessions, type Charge, putSessionTitle } from '../sums/session-sums.ts'
import { type CacheChange, changeCache } from './cached-answers.ts'
import { dropIdempotency, type FinishedClaim, finishIdempotency } from './idempotency.ts'
import { encodeId, STATUS_CODES } from './request-codecs.ts'
import {
  type EncodedRow,
  encodeSettled,
  INSERT_SETTLED,
  insertRow,
  type NewRequest,
  type NewRow,
  type SettledColumns,
  type StoredRequest,
} from './request-columns.ts'
import { getSessionNumbers, getTexts } from './session-numbers.ts'

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
  cache?: CacheChange
}

/** A request that is over. */
export type FinishedRequest = { refused: RefusedRequest } | { opened: NewRequest; settled: Settlement }

/** The columns that the charge of a request has from its row while it ran. */
type OpeningColumn = 'keyId' | 'createdAt' | 'requestedModel' | 'client' | 'tag'

/** The columns that it has from its settlement. */
type ChargedColumns = Pick<
  StoredRequest,
  | ('status' | 'model' | 'provider' | 'tokensIn' | 'tokensOut' | 'usage')
  | ('costNano' | 'worthNano' | 'savedNano' | 'totalMs' | 'firstByteMs')
>

const settle = statement<SqlValue[], Pick<EncodedRow, 'seq' | OpeningColumn | 'sessionId'>>(`
  ${INSERT_SETTLED} RETURNING
    seq, key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, client,
    session AS sessionId, tag`)
const statusOfRunning = statement<[SqlValue], { status: number }>('SELECT status FROM running WHERE id = ?')
const setReserved = statement<[number, SqlValue]>('UPDATE running SET reserved_nano = ? WHERE id = ?')
const removeRunning = statement<[number]>('DELETE FROM running WHERE seq = ?')
const settledSeq = statement<[SqlValue], { seq: number }>('SELECT seq FROM requests WHERE id = ?')
const putBodies = statement<[number, string | null, string | null]>(
  'INSERT INTO request_bodies (seq, request, response) VALUES (?, ?, ?)',
)

/** Records a request that is running. Throws `conflict` when another that runs has its id. */
export function openRequest(db: Db, request: NewRequest): void {
  insertRow(db, 'running', request)
}

/** Records that a running request may cost more than when it was opened: it is sent once more. */
export function raiseReserved(db: Db, { id, nano }: { id: string; nano: NanoUsd }): void {
  setReserved(db).run(nano, encodeId(id))
}

/**
 * Records a running request's outcome and charges it. A request that is not running is not changed, so settling
 * twice charges once. Throws for one that was never opened.
 */
export function settleRequest(db: Db, settlement: Settlement): void {
  recordRequests(db, [], [settlement])
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
    else requireSettled(db, settlement.id)
  }
  for (const request of waiting.values()) openRequest(db, request)
  chargeAll(db, charges)
}

/** Records a request that is over, whether it was recorded while it ran or not. Recording it twice charges once. */
export function recordSettled(db: Db, request: NewRequest, settlement: Settlement): void {
  if (statusOfRunning(db).get(encodeId(request.id))) settleRequest(db, settlement)
  else if (!isInLog(db, request.id)) recordRequests(db, [request], [settlement])
}

function isInLog(db: Db, id: string): boolean {
  return settledSeq(db).get(encodeId(id)) !== undefined
}

/** Throws for a request that was never opened. */
function requireSettled(db: Db, id: string): void {
  if (!isInLog(db, id) && !statusOfRunning(db).get(encodeId(id))?.status)
    throw new StoreError('failed', `The request ${id} was never recorded.`)
}

/** Records many new requests in order, with one change of each sum, for data that is made in one go. */
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
  const session = getSessionNumbers(db).find(request.sessionId)
  putCompanions(db, { seq, session }, settlement)
  return computeCharge(request, session, settlement)
}

/** Writes all that a settlement writes but the sums. Returns what is to be added to them; null if it is not running. */
function moveToSettled(db: Db, settlement: Settlement): Charge | null {
  const moved = settle(db).get(...encodeSettled(db, settlement), encodeId(settlement.id))
  if (!moved) return null
  removeRunning(db).run(moved.seq)
  const session = moved.sessionId === null ? null : BigInt(Number(moved.sessionId))
  putCompanions(db, { seq: moved.seq, session }, settlement)
  const texts = getTexts(db)
  const opened = {
    keyId: texts.getText(moved.keyId),
    createdAt: moved.createdAt,
    requestedModel: texts.getText(moved.requestedModel),
    client: texts.getOptional(moved.client),
    tag: texts.getOptional(moved.tag),
  }
  return computeCharge(opened, session, settlement)
}

function putCompanions(
  db: Db,
  { seq, session }: { seq: number; session: bigint | null },
  { hold, bodies, idempotency, cache }: Settlement,
): void {
  if (hold) putHold(db, seq, hold)
  if (bodies) {
    putBodies(db).run(seq, bodies.request, bodies.response)
    if (bodies.title && session !== null) putSessionTitle(db, session, seq, bodies.title)
  }
  if (cache) changeCache(db, cache)
  if (!idempotency) return
  if ('drop' in idempotency) dropIdempotency(db, idempotency.id)
  else finishIdempotency(db, idempotency)
}

export function computeCharge(
  { keyId, createdAt, requestedModel, client, tag = null }: Pick<NewRequest, OpeningColumn>,
  session: bigint | null,
  settlement: ChargedColumns,
): Charge {
  const { status, tokensIn, tokensOut, usage, costNano, worthNano, savedNano, totalMs, firstByteMs } =
    settlement
  const timings = rollup.noTimings()
  // How long a stored answer took says nothing of its model.
  if (status === 'succeeded' && savedNano === null) {
    rollup.addDuration(timings.total, totalMs)
    rollup.addDuration(timings.firstByte, firstByteMs)
  }
  return {
    keyId,
    createdAt,
    endedAt: createdAt + Math.round(totalMs ?? 0),
    model: settlement.model ?? requestedModel,
    provider: settlement.provider ?? '',
    client,
    session,
    tag,
    measures: {
      requests: 1,
      tokensIn,
      tokensOut,
      tokensCached: usage?.cacheRead ?? 0,
      costNano: costNano ?? ZERO_USD,
      worthNano: worthNano ?? ZERO_USD,
      savedNano: savedNano ?? ZERO_USD,
      errors: Number(status === 'failed'),
      unpriced: Number(costNano === null),
    },
    timings,
  }
}

// The totals that every charge changes together: the key's, the account's, and the 15-minute and daily rollups.

interface SpendRow {
  spend_nano: number
}

// JavaScript numbers bind as REAL; the cast keeps the sums in 64-bit integers.
const chargeKey = statement<[number, string], SpendRow>(
  'UPDATE keys SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = ? RETURNING spend_nano',
)
const chargeAccount = statement<[number], SpendRow>(
  'UPDATE account SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = 1 RETURNING spend_nano',
)
const addToSlot15m = rollup.addToRollup('rollups')
const addToDay = rollup.addToRollup('day_sums')
const accountSpend = statement<[], SpendRow>('SELECT spend_nano FROM account WHERE id = 1')

/** Adds charges: each total changes once. Throws a RangeError when one would leave the range of exact integers. */
export function chargeAll(db: Db, all: readonly Charge[]): void {
  const perKey = new Map<string, NanoUsd>()
  const sums = new Map<string, Charge>()
  for (const each of all) {
    const { keyId, createdAt, model, provider, client, tag, measures, timings } = each
    perKey.set(keyId, addUsd(perKey.get(keyId) ?? ZERO_USD, nanoUsd(measures.costNano)))
    const name = `${rollup.findSlot15m(createdAt)}\n${keyId}\n${model}\n${provider}\n${client}\n${tag}`
    const sum = sums.get(name)
    if (sum) {
      rollup.addMeasures(sum.measures, measures)
      rollup.addTimings(sum.timings, timings)
    } else sums.set(name, { ...each, measures: { ...measures } })
  }
  for (const sum of sums.values()) addToRollups(db, sum)
  addToSessions(db, all)
  for (const [keyId, nano] of perKey) addSpend(db, keyId, nano)
}

/** A slot lies within one day. */
function addToRollups(db: Db, sum: Charge): void {
  const { keyId, model, provider, client, tag, createdAt } = sum
  const texts = getTexts(db)
  const place = [keyId, model, provider, clientName(client), tag ?? ''].map((text) => texts.put(text))
  const measures = rollup.MEASURE_NAMES.map((name) => sum.measures[name])
  const timings = rollup.encodeTimings(sum.timings)
  addToSlot15m(db, [rollup.findSlot15m(createdAt), ...place], measures, timings)
  addToDay(db, [rollup.rollupDay(createdAt, rollup.rollupTimeZone(db)).start, ...place], measures, timings)
}

/** Changes only the key's and the account's spend, by a difference of either sign. Throws a RangeError as `chargeAll` does. */
export function addSpend(db: Db, keyId: string, difference: NanoUsd): void {
  nanoUsd(chargeKey(db).get(difference, keyId)?.spend_nano ?? 0)
  nanoUsd(chargeAccount(db).get(difference)?.spend_nano ?? 0)
}

/** The sum of all charges ever made. */
export function readAccountSpend(db: Db): NanoUsd {
  return nanoUsd(accountSpend(db).get()?.spend_nano ?? 0)
}

/** A request that was refused before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest
  extends Pick<NewRow, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client' | 'totalMs'>,
    Pick<NewRequest, 'sessionId' | 'tag' | 'session'> {
  httpStatus: number
  error: ErrorBody
}

/** The number of calls that the row of a refused request represents so far. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

const recount = statement<[number, number | null, SqlValue]>(
  `UPDATE requests SET count = ?, last_at = ? WHERE id = ? AND status = ${STATUS_CODES.refused}`,
)

/** Records a refused request. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): StoredRequest {
  insertRefused(db, request)
  const inserted = getRequest(db, request.id)
  if (!inserted) throw new Error('the inserted request did not come back')
  return inserted
}

/** Records as `recordRefused` does, without reading the row back. */
function insertRefused(db: Db, request: RefusedRequest): void {
  insertRow(db, 'requests', {
    ...request,
    status: 'refused',
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    settledAt: request.createdAt,
  })
  const session = getSessionNumbers(db).find(request.sessionId)
  if (session !== null) {
    const { tag = null, createdAt } = request
    addRefusals(db, { session, tag, count: 1, at: createdAt })
  }
}

/** Updates the number of calls that the row of a refused request represents. Null when the row has been pruned. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): StoredRequest | null {
  const before = getRequest(db, id)
  if (recount(db).run(count, lastAt, encodeId(id)).changes === 0) return null
  const session = getSessionNumbers(db).find(before?.sessionId)
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
const remove = statement<[SqlValue]>('DELETE FROM holds WHERE seq = (SELECT seq FROM requests WHERE id = ?)')
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
  remove(db).run(encodeId(id))
}
