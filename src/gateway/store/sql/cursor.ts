// The opaque cursors of listings: the numbers of a position, after a prefix that names the order.
import { StoreError } from './store-error.ts'

export function writeCursor(position: readonly number[], prefix = ''): string {
  return Buffer.from(prefix + position.join('.')).toString('base64url')
}

/** The numbers of the position. Throws a StoreError `bad_cursor` for anything that `writeCursor` did not return for such a one. */
export function readCursor(cursor: string, length: number, prefix = ''): number[] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const position = text.slice(prefix.length).split('.').map(Number)
  const isValid = position.length === length && position.every(Number.isSafeInteger)
  if (isValid && writeCursor(position, prefix) === cursor) return position
  throw new StoreError('bad_cursor', 'The cursor was not returned by this listing.')
}
