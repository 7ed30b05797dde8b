// The orders of the listing of sessions, and positions in them.
import type { SORT_ORDERS } from '../../../shared/request-terms.ts'
import type { SESSION_SORTS } from '../../../shared/sessions.ts'
import { refuseCursor } from '../engine/cursor.ts'

type Sort = (typeof SESSION_SORTS)[number]

export interface SessionOrder {
  sort: Sort
  order: (typeof SORT_ORDERS)[number]
}

/** What a listing is sorted by, in SQL. */
export const SORT_VALUES: Readonly<Record<Sort, string>> = {
  time: 'last_at',
  cost: 'cost_nano',
  requests: 'requests',
  duration: '(last_at - started_at)',
}

interface Sorted {
  startedAt: number
  lastAt: number
  requests: number
  costNano: number
}

/** The value of a row that `SORT_VALUES` has. */
export function sortValue({ startedAt, lastAt, requests, costNano }: Sorted, sort: Sort): number {
  switch (sort) {
    case 'time':
      return lastAt
    case 'cost':
      return costNano
    case 'requests':
      return requests
    case 'duration':
      return lastAt - startedAt
  }
}

/** The cursor after the session with the number `nr`. */
export function writePosition({ sort, order }: SessionOrder, value: number, nr: number): string {
  return Buffer.from(`${sort}.${order}.${value}.${nr}`).toString('base64url')
}

/** Throws a StoreError `bad_cursor` for anything that was not returned for the same order. */
export function readPosition(order: SessionOrder, cursor: string): [value: number, nr: number] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const match = /^\w+\.\w+\.(\d{1,16})\.(\d{1,16})$/.exec(text)
  const [value, nr] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || writePosition(order, value, nr) !== cursor) throw refuseCursor()
  return [value, nr]
}
