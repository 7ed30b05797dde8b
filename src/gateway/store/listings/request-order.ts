// The orders of the request listing, and the positions in them, which opaque cursors state.
import type { REQUEST_SORTS, SORT_ORDERS } from '../../../shared/api/terms.ts'
import { readCursor, writeCursor } from '../sql/cursor.ts'

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

/** The value of each sort in SQL. */
const VALUES: Record<RequestOrder['sort'], string> = {
  time: 'created_at',
  cost: 'cost_nano',
  duration: 'total_us',
  tokens: 'tokens_in + tokens_out',
}

export function isNewestFirst({ sort, order }: RequestOrder): boolean {
  return sort === 'time' && order === 'desc'
}

/** Comes after all values. */
function missingValue({ order }: RequestOrder): number {
  return order === 'desc' ? -1 : Number.MAX_SAFE_INTEGER
}

export function valueSql(order: RequestOrder): string {
  const sql = VALUES[order.sort]
  return order.sort === 'time' ? sql : `ifnull(${sql}, ${missingValue(order)})`
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
