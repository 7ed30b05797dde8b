// The opaque cursor of the request listing: a position in the order (created_at, seq), which never changes for a row.
import { StoreError } from './store-error.ts'

export interface Position {
  createdAt: number
  seq: number
}

export function writeCursor({ createdAt, seq }: Position): string {
  return Buffer.from(`${createdAt}.${seq}`).toString('base64url')
}

/** Throws a StoreError `bad_cursor` for anything that `writeCursor` did not return. */
export function readCursor(cursor: string): Position {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const position = { createdAt: Number(match?.[1]), seq: Number(match?.[2]) }
  if (!match || writeCursor(position) !== cursor) throw refuseCursor()
  return position
}

export function refuseCursor(): StoreError {
  return new StoreError('bad_cursor', 'The cursor was not returned by this listing.')
}
