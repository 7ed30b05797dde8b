// Lists the ledger in pages. A search reads as many rows as fit its time budget, then returns a partial page.
import { performance } from 'node:perf_hooks'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { omitUndefined } from '../../platform/fields.ts'
import { writeCursor } from '../engine/cursor.ts'
import { type Condition, type Db, joinConditions, type SqlValue, statement } from '../engine/statement.ts'
import { COST_STATUS_CODES, decodeId, encodeId } from '../ledger/request-codecs.ts'
import { decodeRow, type EncodedRow, type StoredRequest, selectList } from '../ledger/request-columns.ts'
import { getSessionNumbers, getTexts } from '../ledger/session-numbers.ts'
import { clientsNamed, clientsWith } from '../sums/client-name.ts'
import { MEASURES } from '../sums/rollup-columns.ts'
import { END_OF_TIME, sumRange } from '../sums/rollup-query.ts'
import { createPlans, type Plan, type RequestFilter, type StoredFilter } from './request-index.ts'
import {
  comparePositions,
  type OrderedPosition,
  type Position,
  type RequestOrder,
  readOrderedCursor,
  valueSql,
  writeOrderedCursor,
} from './request-order.ts'

const NO_SESSION = -1n
const NEWEST_FIRST = { sort: 'time', order: 'desc' } as const

/** The filter with the numbers of its texts. */
function storedFilter(db: Db, filter: RequestFilter): StoredFilter {
  const { keyId, model, provider, tag, session, ...others } = filter
  const texts = getTexts(db)
  const stored: StoredFilter = others
  if (keyId !== undefined) stored.keyId = texts.find(keyId)
  if (model !== undefined) stored.model = texts.find(model)
  if (provider !== undefined) stored.provider = texts.find(provider)
  if (tag !== undefined) stored.tag = tag === '' ? null : texts.find(tag)
  if (session !== undefined) stored.session = getSessionNumbers(db).find(session) ?? NO_SESSION
  if (others.client) stored.clientsNamed = JSON.stringify(clientsNamed(db, others.client))
  if (others.q) stored.clientsFound = JSON.stringify(clientsWith(db, others.q))
  return stored
}

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

/** Rows read at a time for a filter without an index, until the page is full or the time is up. */
const WINDOW_ROWS = 5_000
/** The window where only index entries are read. */
const WINDOW_ENTRIES = 50_000
const TIME_BUDGET_MS = 120
/** How many of the newest rows are sampled to choose between two indexes. */
const SAMPLE_ROWS = 1_000
/** Reading a row takes about as long as scanning this many entries of an index. */
const ENTRIES_PER_ROW = 10

const SETTLED = selectList('EXISTS (SELECT 1 FROM request_bodies WHERE seq = requests.seq)')
/** No bodies are stored before a request is settled. */
const RUNNING = selectList('0')

const byId = statement<[SqlValue, SqlValue], EncodedRow>(`
  SELECT ${SETTLED} FROM requests WHERE id = ? UNION ALL SELECT ${RUNNING} FROM running WHERE id = ?`)
const bySeq = statement<[number, number], EncodedRow>(`
  SELECT ${SETTLED} FROM requests WHERE seq = ? UNION ALL SELECT ${RUNNING} FROM running WHERE seq = ?`)
const selectBodies = statement<[SqlValue], { request: string | null; response: string | null }>(`
  SELECT request, response FROM request_bodies WHERE seq = (SELECT seq FROM requests WHERE id = ?)`)

const selectAnswers = statement<
  [SqlValue, number],
  { id: Uint8Array | string; endpoint: SqlValue; response: string }
>(`
  SELECT id, endpoint, response FROM requests JOIN request_bodies USING (seq)
  WHERE session = ? AND response IS NOT NULL ORDER BY created_at DESC, seq DESC LIMIT ?`)

export interface StoredAnswer {
  requestId: string
  endpoint: string | null
  response: string
}

/** The newest stored answers of a session, the newest first. */
export function listAnswers(db: Db, sessionId: string, limit: number): StoredAnswer[] {
  const session = getSessionNumbers(db).find(sessionId)
  if (session === null) return []
  return selectAnswers(db)
    .all(session, limit)
    .map(({ id, endpoint, response }) => ({
      requestId: decodeId(id),
      endpoint: getTexts(db).getOptional(endpoint),
      response,
    }))
}

export function getRequest(db: Db, id: string): StoredRequest | null {
  const stored = encodeId(id)
  const row = byId(db).get(stored, stored)
  return row ? decodeRow(db, row) : null
}

/** A row that is in the ledger. */
export function getBySeq(db: Db, seq: number): StoredRequest {
  const row = bySeq(db).get(seq, seq)
  if (!row) throw new Error(`the ledger has no row ${seq}`)
  return decodeRow(db, row)
}

/** The stored prompt and answer; null when they were not stored. */
export function getBodies(db: Db, requestId: string): StoredBodies | null {
  const row = selectBodies(db).get(encodeId(requestId))
  return row ? { requestId, ...row } : null
}

/**
 * One page, newest first. Rows that arrive meanwhile never move, repeat or hide those of later pages. A search for a
 * complete id returns that request, regardless of the other filters.
 */
export function listRequests(db: Db, filter: RequestFilter): RequestPage {
  const byIdMatch = filter.q === undefined ? null : getRequest(db, filter.q)
  if (byIdMatch) return { rows: [byIdMatch], nextCursor: null }
  const deadline = performance.now() + TIME_BUDGET_MS
  let after: Position | null =
    filter.cursor === undefined ? null : readOrderedCursor(NEWEST_FIRST, filter.cursor)
  const plan = choosePlan(db, createPlans(storedFilter(db, filter)), after)
  const rows: EncodedRow[] = []
  for (;;) {
    const end = windowEnd(db, plan, after)
    rows.push(...scan(db, plan, after, end, filter.limit + 1 - rows.length))
    if (rows.length > filter.limit) return page(db, rows.slice(0, filter.limit), rows[filter.limit - 1])
    if (!end) return page(db, rows, undefined)
    if (performance.now() > deadline) return page(db, rows, end)
    after = end
  }
}

function page(db: Db, rows: EncodedRow[], last: Position | undefined): RequestPage {
  return {
    rows: rows.map((row) => decodeRow(db, row)),
    nextCursor: last ? writeCursor([last.createdAt, last.seq]) : null,
  }
}

/** Chooses the plan that is cheaper for the newest rows. */
function choosePlan(db: Db, [first, second]: [Plan, Plan | null], after: Position | null): Plan {
  const end = second && nthPosition(db, { ...second, indexFilter: [] }, after, SAMPLE_ROWS)
  if (!end) return first
  const rowsOfFirst = countRows(db, first, after, end)
  const rowsOfSecond = countRows(db, second, after, end)
  return rowsOfFirst <= rowsOfSecond + SAMPLE_ROWS / ENTRIES_PER_ROW ? first : second
}

/** How many rows a plan reads between two positions. */
function countRows(db: Db, plan: Plan, after: Position | null, end: Position): number {
  const { where, values } = conditions([...plan.seek, ...plan.indexFilter], after, end)
  const found = db
    .prepare<SqlValue[], { rows: number }>(
      `SELECT count(*) AS rows FROM requests INDEXED BY ${plan.index} ${where}`,
    )
    .get(...values)
  return found?.rows ?? 0
}

/** The last row of the next window; null when no window is needed for the rest. */
function windowEnd(db: Db, plan: Plan, after: Position | null): Position | null {
  if (plan.rowFilter.length > 0) return nthPosition(db, plan, after, WINDOW_ROWS)
  return plan.indexFilter.length > 0 ? nthPosition(db, plan, after, WINDOW_ENTRIES) : null
}

/** The position of the n-th entry of the index after `after`; null when there are fewer. */
function nthPosition(db: Db, { index, seek }: Plan, after: Position | null, n: number): Position | null {
  const { where, values } = conditions(seek, after, null)
  const found = db
    .prepare<SqlValue[], Position>(`
      SELECT created_at AS createdAt, seq FROM requests INDEXED BY ${index} ${where}
      ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ${n - 1}`)
    .get(...values)
  return found ?? null
}

/** Running requests are few, and match no index. */
function scan(db: Db, plan: Plan, after: Position | null, end: Position | null, limit: number): EncodedRow[] {
  const { where, values } = conditions([...plan.seek, ...plan.indexFilter, ...plan.rowFilter], after, end)
  return db
    .prepare<SqlValue[], EncodedRow>(`
      SELECT ${SETTLED} FROM requests INDEXED BY ${plan.index} ${where}
      UNION ALL SELECT ${RUNNING} FROM running ${where}
      ORDER BY createdAt DESC, seq DESC LIMIT ?`)
    .all(...values, ...values, limit)
}

function conditions(terms: readonly Condition[], after: Position | null, end: Position | null) {
  return joinConditions([
    ...terms,
    ...(after ? [{ sql: '(created_at, seq) < (?, ?)', values: [after.createdAt, after.seq] }] : []),
    ...(end ? [{ sql: '(created_at, seq) >= (?, ?)', values: [end.createdAt, end.seq] }] : []),
  ])
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
  const [{ index, seek, indexFilter, rowFilter }] = createPlans(storedFilter(db, filter))
  const { where, values } = joinConditions([
    ...seek,
    ...indexFilter,
    ...rowFilter,
    ...conditionsAfter(filter.cursor, order),
  ])
  const columns = order.sort === 'time' ? ['created_at', 'seq'] : [valueSql(order), 'created_at', 'seq']
  const orderBy = columns.map((column) => `${column} ${order.order}`).join(', ')
  return [`requests INDEXED BY ${index}`, 'running']
    .flatMap((table) =>
      db
        .prepare<SqlValue[], OrderedPosition>(`
          SELECT ${valueSql(order)} AS value, created_at AS createdAt, seq
          FROM ${table} ${where} ORDER BY ${orderBy} LIMIT ?`)
        .all(...values, filter.limit + 1),
    )
    .sort((a, b) => comparePositions(order, a, b))
    .slice(0, filter.limit + 1)
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
  unpriced: `sum(cost_status = ${COST_STATUS_CODES.unknown})`,
  unsettled: `sum(cost_status = ${COST_STATUS_CODES.unsettled})`,
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
    const term = { sql: 'seq = ?', values: [byIdMatch.seq] }
    return add(sumTable(db, 'requests', [term]), sumTable(db, 'running', [term]))
  }
  return isInSums(filter) ? sumUsage(db, filter) : sumMatching(db, filter)
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
  const unsettled = sumMatching(db, { ...filter, costStatus: 'unsettled' }).requests
  const uncounted = [
    sumMatching(db, { ...filter, status: 'refused' }),
    sumTable(db, 'running', createTerms(db, filter).terms),
  ]
  return [...settled.map((sum) => ({ ...sum, unsettled: 0 })), ...uncounted].reduce(add, {
    ...NOTHING,
    unsettled,
  })
}

/** The sums of all rows that match, running ones among them. */
function sumMatching(db: Db, filter: TotalsFilter): Sums {
  const { index, terms } = createTerms(db, filter)
  return add(sumTable(db, `requests INDEXED BY ${index}`, terms), sumTable(db, 'running', terms))
}

function createTerms(db: Db, filter: TotalsFilter): { index: string; terms: Condition[] } {
  const [{ index, seek, indexFilter, rowFilter }] = createPlans(storedFilter(db, { ...filter, limit: 1 }))
  return { index, terms: [...seek, ...indexFilter, ...rowFilter] }
}

const NOTHING = mapSums(() => 0)
const COLUMNS = Object.entries(SUMS).map(([name, sql]) => `${sql} AS ${name}`)

function sumTable(db: Db, table: string, terms: readonly Condition[]): Sums {
  const { where, values } = joinConditions(terms)
  const sql = `SELECT ${COLUMNS.join(', ')} FROM ${table} ${where} HAVING count(*) > 0`
  return db.prepare<SqlValue[], Sums>(sql).get(...values) ?? NOTHING
}

function add(a: Sums, b: Sums): Sums {
  return mapSums((name) => a[name] + b[name])
}

function mapSums(compute: (name: keyof Sums) => number): Sums {
  const names = Object.keys(SUMS) as (keyof Sums)[]
  return Object.fromEntries(names.map((name) => [name, compute(name)])) as Sums
}
