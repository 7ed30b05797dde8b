// Lists the ledger in pages. A search reads as many rows as fit its time budget, then returns a partial page.

import { performance } from 'node:perf_hooks'
import type { REQUEST_SORTS, SORT_ORDERS } from '../../../shared/api/terms.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { omitUndefined } from '../../platform/fields.ts'
import { decodeRow, type EncodedRow, REQUEST_COLUMNS, type StoredRequest } from '../rows/request-columns.ts'
import { readCursor, writeCursor } from '../sql/cursor.ts'
import { type Condition, type Db, joinConditions, type SqlValue, statement } from '../sql/statement.ts'
import { MEASURES } from '../sums/rollup-columns.ts'
import { END_OF_TIME, sumRange } from '../sums/rollup-query.ts'
import { listConditions, type RequestFilter } from './request-filter.ts'

interface StoredBodies {
  requestId: string
  /** JSON text as received; null when only the response was stored. */
  request: string | null
  /** JSON text, or the text of the stream; null when there was none. */
  response: string | null
}

export interface RequestPage {
  /** Newest first. May hold fewer than `limit` rows, or none, and still have a next page: a search looks
   * through a bounded number of rows at a time. */
  rows: StoredRequest[]
  nextCursor: string | null
}

/** The rows of the log in the first window that is searched. Each window is twice as large while that takes little time. */
const WINDOW_ROWS = 5_000
const QUICK_WINDOW_MS = 15
const TIME_BUDGET_MS = 120

const byId = statement<[string], EncodedRow>(`SELECT ${REQUEST_COLUMNS} FROM requests WHERE id = ?`)
const bySeq = statement<[number], EncodedRow>(`SELECT ${REQUEST_COLUMNS} FROM requests WHERE seq = ?`)
const selectBodies = statement<[string], StoredBodies>(`
  SELECT id AS requestId, request, response FROM request_bodies JOIN requests USING (seq) WHERE id = ?`)
const selectAnswers = statement<[string, number], StoredAnswer>(`
  SELECT id AS requestId, endpoint, response FROM requests JOIN request_bodies USING (seq)
  WHERE session = (SELECT nr FROM sessions WHERE id = ?) AND response IS NOT NULL
  ORDER BY created_at DESC, seq DESC LIMIT ?`)

export interface StoredAnswer {
  requestId: string
  endpoint: string | null
  response: string
}

/** The newest stored answers of a session, the newest first. */
export function listAnswers(db: Db, sessionId: string, limit: number): StoredAnswer[] {
  return selectAnswers(db).all(sessionId, limit)
}

export function getRequest(db: Db, id: string): StoredRequest | null {
  const row = byId(db).get(id)
  return row ? decodeRow(row) : null
}

/** A row that is in the ledger. */
export function getBySeq(db: Db, seq: number): StoredRequest {
  const row = bySeq(db).get(seq)
  if (!row) throw new Error(`the ledger has no row ${seq}`)
  return decodeRow(row)
}

/** The stored prompt and answer; null when they were not stored. */
export function getBodies(db: Db, requestId: string): StoredBodies | null {
  return selectBodies(db).get(requestId) ?? null
}

/**
 * One page, newest first. Rows that arrive meanwhile never move, repeat or hide those of later pages. A search for a
 * complete id returns that request, regardless of the other filters.
 */
export function listRequests(db: Db, filter: RequestFilter): RequestPage {
  const byIdMatch = filter.q === undefined ? null : getRequest(db, filter.q)
  if (byIdMatch) return { rows: [byIdMatch], nextCursor: null }
  const deadline = performance.now() + TIME_BUDGET_MS
  const terms = listConditions(filter)
  const rows: EncodedRow[] = []
  let after: Position | null = filter.to === undefined ? null : { createdAt: filter.to, seq: 0 }
  if (filter.cursor !== undefined) {
    const [createdAt = 0, seq = 0] = readCursor(filter.cursor, 2)
    after = { createdAt, seq }
  }
  for (let windowRows = WINDOW_ROWS; ; ) {
    const startedAt = performance.now()
    const end = terms.length === 0 ? null : findWindowEnd(db, after, windowRows)
    rows.push(...scan(db, terms, { after, end }, filter.limit + 1 - rows.length))
    if (rows.length > filter.limit) return createPage(rows.slice(0, filter.limit), rows[filter.limit - 1])
    if (!end || end.createdAt < (filter.from ?? 0)) return createPage(rows, undefined)
    const now = performance.now()
    if (now > deadline) return createPage(rows, end)
    if (now - startedAt < QUICK_WINDOW_MS) windowRows *= 2
    after = end
  }
}

function createPage(rows: EncodedRow[], last: Position | undefined): RequestPage {
  return {
    rows: rows.map((row) => decodeRow(row)),
    nextCursor: last ? writeCursor([last.createdAt, last.seq]) : null,
  }
}

interface Window {
  after: Position | null
  end: Position | null
}

/** The last row of the window; null when there are fewer rows. */
function findWindowEnd(db: Db, after: Position | null, windowRows: number): Position | null {
  const { where, values } = conditions([], { after, end: null })
  const found = db
    .prepare<SqlValue[], Position>(`
      SELECT created_at AS createdAt, seq FROM requests ${where}
      ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ${windowRows - 1}`)
    .get(...values)
  return found ?? null
}

function scan(db: Db, terms: readonly Condition[], window: Window, limit: number): EncodedRow[] {
  const { where, values } = conditions(terms, window)
  return db
    .prepare<SqlValue[], EncodedRow>(`
      SELECT ${REQUEST_COLUMNS} FROM requests ${where} ORDER BY created_at DESC, seq DESC LIMIT ?`)
    .all(...values, limit)
}

function conditions(terms: readonly Condition[], { after, end }: Window) {
  return joinConditions([
    ...terms,
    ...(after ? [{ sql: '(created_at, seq) < (?, ?)', values: [after.createdAt, after.seq] }] : []),
    ...(end ? [{ sql: '(created_at, seq) >= (?, ?)', values: [end.createdAt, end.seq] }] : []),
  ])
}

// The orders of the listing, and the positions in them, which opaque cursors state.

export interface RequestOrder {
  sort: (typeof REQUEST_SORTS)[number]
  order: (typeof SORT_ORDERS)[number]
}

/** A position in the order (created_at, seq), which never changes for a row. */
interface Position {
  createdAt: number
  seq: number
}

/** Rows with the same value are in the order of their time. */
interface OrderedPosition extends Position {
  value: number
}

/** The value of each sort in SQL. */
const VALUES: Record<RequestOrder['sort'], string> = {
  time: 'created_at',
  cost: 'cost_nano',
  duration: 'total_us',
  tokens: 'tokens_in + tokens_out',
}

/** Comes after all values. */
function missingValue({ order }: RequestOrder): number {
  return order === 'desc' ? -1 : Number.MAX_SAFE_INTEGER
}

function valueSql(order: RequestOrder): string {
  const sql = VALUES[order.sort]
  return order.sort === 'time' ? sql : `ifnull(${sql}, ${missingValue(order)})`
}

function writeOrderedCursor(order: RequestOrder, { value, createdAt, seq }: OrderedPosition): string {
  return writeCursor([value, createdAt, seq], `${order.sort}.${order.order}.`)
}

/** Throws a StoreError `bad_cursor` for anything that `writeOrderedCursor` did not return for the same order. */
function readOrderedCursor(order: RequestOrder, cursor: string): OrderedPosition {
  const [value = 0, createdAt = 0, seq = 0] = readCursor(cursor, 3, `${order.sort}.${order.order}.`)
  return { value, createdAt, seq }
}

// Lists the ledger in other orders than newest first. Each page reads all rows that match.

/**
 * One page in the order. Rows that arrive or change meanwhile may be on a page before or after it; no other row moves. A
 * search for a complete id returns that request, regardless of the other filters.
 */
export function listSorted(db: Db, filter: RequestFilter, order: RequestOrder): RequestPage {
  return db.transaction(() => {
    const byIdMatch = filter.q === undefined ? null : getRequest(db, filter.q)
    if (byIdMatch) return { rows: [byIdMatch], nextCursor: null }
    const found = findPositions(db, filter, order)
    const rows = found.slice(0, filter.limit)
    const last = found.length > filter.limit ? rows.at(-1) : undefined
    return {
      rows: rows.map(({ seq }) => getBySeq(db, seq)),
      nextCursor: last ? writeOrderedCursor(order, last) : null,
    }
  })()
}

/** One more than fit the page, if there are more. Only what decides the order is read of each row. */
function findPositions(db: Db, filter: RequestFilter, order: RequestOrder): OrderedPosition[] {
  const { where, values } = joinConditions([
    ...listConditions(filter),
    ...conditionsAfter(filter.cursor, order),
  ])
  const columns = order.sort === 'time' ? ['created_at', 'seq'] : [valueSql(order), 'created_at', 'seq']
  const orderBy = columns.map((column) => `${column} ${order.order}`).join(', ')
  return db
    .prepare<SqlValue[], OrderedPosition>(`
      SELECT ${valueSql(order)} AS value, created_at AS createdAt, seq
      FROM requests ${where} ORDER BY ${orderBy} LIMIT ?`)
    .all(...values, filter.limit + 1)
}

function conditionsAfter(cursor: string | undefined, order: RequestOrder): Condition[] {
  if (cursor === undefined) return []
  const { value, createdAt, seq } = readOrderedCursor(order, cursor)
  const after = order.order === 'desc' ? '<' : '>'
  return order.sort === 'time'
    ? [{ sql: `(created_at, seq) ${after} (?, ?)`, values: [createdAt, seq] }]
    : [{ sql: `(${valueSql(order)}, created_at, seq) ${after} (?, ?, ?)`, values: [value, createdAt, seq] }]
}

// The totals of a listing. They come from the sums of usage where those have its filters, or else from all rows that match.

export type TotalsFilter = Omit<RequestFilter, 'limit' | 'cursor'>

const SUMS = {
  // A row represents as many as its `count`.
  requests: 'sum(count)',
  tokensIn: MEASURES.tokensIn.ofRows,
  tokensOut: MEASURES.tokensOut.ofRows,
  tokensCached: MEASURES.tokensCached.ofRows,
  costNano: MEASURES.costNano.ofRows,
  worthNano: MEASURES.worthNano.ofRows,
  savedNano: MEASURES.savedNano.ofRows,
  unpriced: "sum(cost_status = 'unknown')",
  unsettled: "sum(cost_status = 'unsettled')",
}
type Sums = Record<keyof typeof SUMS, number>

type RequestTotals = Sums & Record<'costNano' | 'worthNano' | 'savedNano', NanoUsd>

const oldestRow = statement<[], { createdAt: number | null }>(
  'SELECT min(created_at) AS createdAt FROM requests',
)

/** The totals of all rows that `listRequests` returns with the filter. */
export function requestTotals(db: Db, filter: TotalsFilter): RequestTotals {
  return db.transaction(() => {
    const sums = readTotals(db, filter)
    return {
      ...sums,
      costNano: nanoUsd(sums.costNano),
      worthNano: nanoUsd(sums.worthNano),
      savedNano: nanoUsd(sums.savedNano),
    }
  })()
}

function readTotals(db: Db, filter: TotalsFilter): Sums {
  const byIdMatch = filter.q === undefined ? null : getRequest(db, filter.q)
  if (byIdMatch) {
    return sumRows(db, [{ sql: 'seq = ?', values: [byIdMatch.seq] }])
  }
  return isInSums(filter) ? sumUsage(db, filter) : sumRows(db, listConditions(filter))
}

function isInSums(filter: TotalsFilter): boolean {
  const { status, costStatus, minCostNano, maxCostNano, held, q, session } = filter
  return [status, costStatus, minCostNano, maxCostNano, held, q, session].every((each) => each === undefined)
}

/** Usage has neither running nor refused requests, and counts requests whose rows were pruned. */
function sumUsage(db: Db, filter: TotalsFilter): Sums {
  const oldest = oldestRow(db).get()?.createdAt ?? END_OF_TIME
  const from = Math.max(filter.from ?? 0, oldest)
  const to = Math.min(filter.to ?? END_OF_TIME, END_OF_TIME)
  const { keyId: key, model, provider, client, tag } = filter
  const where = omitUndefined({ key, model, provider, client, tag })
  const settled = from < to ? sumRange(db, { group: null, split: null, where }, from, to) : []
  const sumStatus = (more: TotalsFilter) => sumRows(db, listConditions({ ...filter, ...more }))
  const { requests: unsettled } = sumStatus({ costStatus: 'unsettled' })
  const uncounted = [
    sumStatus({ status: 'refused' }),
    sumStatus({ status: 'rejected' }),
    sumStatus({ status: 'running' }),
  ]
  return [...settled.map((sum) => ({ ...sum, unsettled: 0 })), ...uncounted].reduce(add, {
    ...NOTHING,
    unsettled,
  })
}

const NOTHING = mapSums(() => 0)
const COLUMNS = Object.entries(SUMS).map(([name, sql]) => `${sql} AS ${name}`)

/** The sums of all rows that match, running ones among them. */
function sumRows(db: Db, terms: readonly Condition[]): Sums {
  const { where, values } = joinConditions(terms)
  const sql = `SELECT ${COLUMNS.join(', ')} FROM requests ${where} HAVING count(*) > 0`
  return db.prepare<SqlValue[], Sums>(sql).get(...values) ?? NOTHING
}

function add(a: Sums, b: Sums): Sums {
  return mapSums((name) => a[name] + b[name])
}

function mapSums(compute: (name: keyof Sums) => number): Sums {
  const names = Object.keys(SUMS) as (keyof Sums)[]
  return Object.fromEntries(names.map((name) => [name, compute(name)])) as Sums
}
