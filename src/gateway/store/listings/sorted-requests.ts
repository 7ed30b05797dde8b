// Lists the ledger in other orders than newest first. Each page reads all rows that match.

import type { Db, SqlValue } from '../engine/statement.ts'
import { storedFilter } from './request-filter.ts'
import { plansOf, type RequestFilter, type Term } from './request-index.ts'
import { getBySeq, getRequest, type RequestPage } from './request-log.ts'
import {
  comparePositions,
  type OrderedPosition,
  type RequestOrder,
  readOrderedCursor,
  valueSql,
  writeOrderedCursor,
} from './request-order.ts'

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
  const [{ index, seek, indexFilter, rowFilter }] = plansOf(storedFilter(db, filter))
  const terms = [...seek, ...indexFilter, ...rowFilter, ...termsAfter(filter.cursor, order)]
  const where = terms.length > 0 ? `WHERE ${terms.map(({ sql }) => sql).join(' AND ')}` : ''
  const columns = order.sort === 'time' ? ['created_at', 'seq'] : [valueSql(order), 'created_at', 'seq']
  const orderBy = columns.map((column) => `${column} ${order.order}`).join(', ')
  return [`requests INDEXED BY ${index}`, 'running']
    .flatMap((table) =>
      db
        .prepare<SqlValue[], OrderedPosition>(`
          SELECT ${valueSql(order)} AS value, created_at AS createdAt, seq
          FROM ${table} ${where} ORDER BY ${orderBy} LIMIT ?`)
        .all(...terms.flatMap(({ values }) => values), filter.limit + 1),
    )
    .sort((a, b) => comparePositions(order, a, b))
    .slice(0, filter.limit + 1)
}

function termsAfter(cursor: string | undefined, order: RequestOrder): Term[] {
  if (cursor === undefined) return []
  const { value, createdAt, seq } = readOrderedCursor(order, cursor)
  const after = order.order === 'desc' ? '<' : '>'
  return order.sort === 'time'
    ? [{ sql: `(created_at, seq) ${after} (?, ?)`, values: [createdAt, seq] }]
    : [{ sql: `(${valueSql(order)}, created_at, seq) ${after} (?, ?, ?)`, values: [value, createdAt, seq] }]
}
