// Owns the listing of the ledger: filters, order and paging. Never looks through more rows than time allows.
import { performance } from 'node:perf_hooks'
import type { RequestFilter, RequestPage } from './calls.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import { type RequestRow, toRequest } from './request-row.ts'
import type { StoredBodies, StoredRequest } from './rows.ts'
import { type Db, type SqlValue, statement } from './statement.ts'

/** A filter that no index answers looks through this many rows at a time, until the page is full or time is up. */
const WINDOW_ROWS = 5_000
const BUDGET_MS = 250

const byId = statement<[string], RequestRow>('SELECT * FROM requests WHERE id = ?')
const bodiesOf = statement<[string], { request: string | null; response: string | null }>(
  'SELECT request, response FROM request_bodies WHERE request_id = ?',
)

interface Term {
  sql: string
  value: SqlValue
}

interface Plan {
  index: string
  /** What the index answers by itself. */
  walked: Term[]
  /** What each row found there is tested for. */
  tested: Term[]
}

export function getRequest(db: Db, id: string): StoredRequest | null {
  const row = byId(db).get(id)
  return row ? toRequest(row) : null
}

/** The kept prompt and answer; null when they were not kept. */
export function getBodies(db: Db, requestId: string): StoredBodies | null {
  const row = bodiesOf(db).get(requestId)
  return row ? { requestId, ...row } : null
}

/**
 * One page, newest first. Rows that arrive meanwhile never move, repeat or hide those of later pages. A search for a
 * whole id finds that request, whatever the other filters say.
 */
export function listRequests(db: Db, filter: RequestFilter): RequestPage {
  const named = filter.q === undefined ? undefined : byId(db).get(filter.q)
  if (named) return page([named], undefined)
  const plan = planOf(filter)
  const deadline = performance.now() + BUDGET_MS
  const rows: RequestRow[] = []
  let after = filter.cursor === undefined ? null : readCursor(filter.cursor)
  for (;;) {
    const end = plan.tested.length > 0 ? windowEnd(db, plan, after) : null
    rows.push(...walk(db, plan, after, end, filter.limit + 1 - rows.length))
    if (rows.length > filter.limit) return page(rows.slice(0, filter.limit), rows[filter.limit - 1])
    if (!end) return page(rows, undefined)
    if (performance.now() > deadline) return page(rows, end)
    after = end
  }
}

function page(rows: RequestRow[], last: Position | undefined): RequestPage {
  return { rows: rows.map(toRequest), nextCursor: last ? writeCursor(last) : null }
}

/** Chooses the index to walk: failures are rarer than keys, keys rarer than providers and models. */
function planOf(filter: RequestFilter): Plan {
  const { keyId, provider, model, status } = filter
  const candidates: { index: string; sql: string; value: SqlValue | undefined }[] = [
    {
      index: 'requests_by_status',
      sql: 'status = ?',
      value: status === 'succeeded' ? undefined : textOf(status),
    },
    { index: 'requests_by_http_status', sql: 'http_status = ?', value: rareStatus(status) },
    { index: 'requests_by_key', sql: 'key_id = ?', value: keyId },
    { index: 'requests_by_provider', sql: 'provider = ?', value: provider },
    { index: 'requests_by_model', sql: 'coalesce(model, requested_model) = ?', value: model },
    { index: 'requests_by_http_status', sql: 'http_status = ?', value: status === 200 ? status : undefined },
    { index: 'requests_by_status', sql: 'status = ?', value: status === 'succeeded' ? status : undefined },
  ]
  const [lead, ...others] = candidates.flatMap(({ index, sql, value }) =>
    value === undefined ? [] : [{ index, sql, value }],
  )
  const walked: Term[] = lead ? [lead] : []
  if (filter.from !== undefined) walked.push({ sql: 'created_at >= ?', value: filter.from })
  if (filter.to !== undefined) walked.push({ sql: 'created_at < ?', value: filter.to })
  const tested: Term[] = others
  if (filter.q) tested.push({ sql: SEARCH, value: `%${filter.q.replace(/[\\%_]/g, '\\$&')}%` })
  return { index: lead?.index ?? 'requests_by_time', walked, tested }
}

function textOf(status: RequestFilter['status']): string | undefined {
  return typeof status === 'string' ? status : undefined
}

function rareStatus(status: RequestFilter['status']): number | undefined {
  return typeof status === 'number' && status !== 200 ? status : undefined
}

// One text to search, so that the pattern binds once. U+001F stands in none of the parts.
const SEARCH = `concat_ws(char(31), id, requested_model, model, error ->> '$.message', client) LIKE ? ESCAPE '\\'`

/** Where the next window of rows ends, its last row included; null when fewer rows than a window are left. */
function windowEnd(db: Db, plan: Plan, after: Position | null): Position | null {
  const { where, values } = conditions(plan.walked, after, null)
  const end = db
    .prepare<SqlValue[], Position>(`
      SELECT created_at, seq FROM requests INDEXED BY ${plan.index} ${where}
      ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ${WINDOW_ROWS - 1}`)
    .get(...values)
  return end ?? null
}

function walk(db: Db, plan: Plan, after: Position | null, end: Position | null, limit: number): RequestRow[] {
  const { where, values } = conditions([...plan.walked, ...plan.tested], after, end)
  return db
    .prepare<SqlValue[], RequestRow>(`
      SELECT * FROM requests INDEXED BY ${plan.index} ${where}
      ORDER BY created_at DESC, seq DESC LIMIT ?`)
    .all(...values, limit)
}

function conditions(terms: Term[], after: Position | null, end: Position | null) {
  const sql = terms.map((term) => term.sql)
  const values = terms.map((term) => term.value)
  if (after) {
    sql.push('(created_at, seq) < (?, ?)')
    values.push(after.created_at, after.seq)
  }
  if (end) {
    sql.push('(created_at, seq) >= (?, ?)')
    values.push(end.created_at, end.seq)
  }
  return { where: sql.length > 0 ? `WHERE ${sql.join(' AND ')}` : '', values }
}
