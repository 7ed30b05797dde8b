// The orders of the request listing, and the positions in them, which opaque cursors state.
import type { REQUEST_SORTS, SORT_ORDERS } from '../../../shared/api/terms.ts'
import { type Position, readCursor, refuseCursor, writeCursor } from '../engine/cursor.ts'
import type { StoredRequest } from '../ledger/request-columns.ts'

export interface RequestOrder {
  sort: (typeof REQUEST_SORTS)[number]
  order: (typeof SORT_ORDERS)[number]
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
  if (isNewestFirst(order)) return writeCursor({ createdAt, seq })
  return Buffer.from(`${order.sort}.${order.order}.${value}.${createdAt}.${seq}`).toString('base64url')
}

/** Throws a StoreError `bad_cursor` for anything that `writeOrderedCursor` did not return for the same order. */
export function readOrderedCursor(order: RequestOrder, cursor: string): OrderedPosition {
  if (isNewestFirst(order)) {
    const position = readCursor(cursor)
    return { value: position.createdAt, ...position }
  }
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const match = /^\w+\.\w+\.(-?\d{1,16})\.(\d{1,16})\.(\d{1,16})$/.exec(text)
  const position = { value: Number(match?.[1]), createdAt: Number(match?.[2]), seq: Number(match?.[3]) }
  if (!match || writeOrderedCursor(order, position) !== cursor) throw refuseCursor()
  return position
}
