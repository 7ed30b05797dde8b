// The orders of the request listing, and the positions in them, which opaque cursors state.
import type { REQUEST_SORTS, SORT_ORDERS } from '../../../shared/api/terms.ts'
import { readCursor, writeCursor } from '../engine/cursor.ts'
import type { StoredRequest } from '../ledger/request-columns.ts'

export interface RequestOrder {
  sort: (typeof REQUEST_SORTS)[number]
  order: (typeof SORT_ORDERS)[number]
}

/** A position in the order (created_at, seq), which never changes for a row. */
export interface Position {
  createdAt: number
  seq: number
}

/** Rows with the same value are in the order of their time. */
export interface OrderedPosition extends Position {
  value: number
}

type SortedBy = Pick<StoredRequest, 'createdAt' | 'seq' | 'costNano' | 'totalMs' | 'tokensIn' | 'tokensOut'>

const MICROS_PER_MS = 1_000

/** The value of each sort, in a row and in SQL. */
const VALUES: Record<RequestOrder['sort'], { of: (row: SortedBy) => number | null; sql: string }> = {
  time: { of: ({ createdAt }) => createdAt, sql: 'created_at' },
  cost: { of: ({ costNano }) => costNano, sql: 'cost_nano' },
  duration: {
    of: ({ totalMs }) => (totalMs === null ? null : Math.round(totalMs * MICROS_PER_MS)),
    sql: 'total_us',
  },
  tokens: { of: ({ tokensIn, tokensOut }) => tokensIn + tokensOut, sql: 'tokens_in + tokens_out' },
}

export function isNewestFirst({ sort, order }: RequestOrder): boolean {
  return sort === 'time' && order === 'desc'
}

/** Comes after all values. */
function missingValue({ order }: RequestOrder): number {
  return order === 'desc' ? -1 : Number.MAX_SAFE_INTEGER
}

export function valueSql(order: RequestOrder): string {
  const { sql } = VALUES[order.sort]
  return order.sort === 'time' ? sql : `ifnull(${sql}, ${missingValue(order)})`
}

export function positionIn(order: RequestOrder, row: SortedBy): OrderedPosition {
  const { createdAt, seq } = row
  return { value: VALUES[order.sort].of(row) ?? missingValue(order), createdAt, seq }
}

/** Negative when `a` comes first. */
export function comparePositions({ order }: RequestOrder, a: OrderedPosition, b: OrderedPosition): number {
  const ascending = a.value - b.value || a.createdAt - b.createdAt || a.seq - b.seq
  return order === 'asc' ? ascending : -ascending
}

export function writeOrderedCursor(order: RequestOrder, { value, createdAt, seq }: OrderedPosition): string {
  if (isNewestFirst(order)) return writeCursor([createdAt, seq])
  return writeCursor([value, createdAt, seq], `${order.sort}.${order.order}.`)
}

/** Throws a StoreError `bad_cursor` for anything that `writeOrderedCursor` did not return for the same order. */
export function readOrderedCursor(order: RequestOrder, cursor: string): OrderedPosition {
  const read = isNewestFirst(order)
    ? readCursor(cursor, 2)
    : readCursor(cursor, 3, `${order.sort}.${order.order}.`)
  const [seq = 0, createdAt = 0, value = createdAt] = read.reverse()
  return { value, createdAt, seq }
}
