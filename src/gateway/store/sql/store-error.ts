import { errorMessage } from '../../../shared/values/text.ts'
export type StoreErrorCode =
  /** The disk is full or failing; nothing was changed. */
  | 'full'
  /** Another program holds the database; nothing was changed. */
  | 'locked'
  /** The database file is damaged. */
  | 'corrupt'
  /** The row exists already. */
  | 'conflict'
  /** A newer version of the program has used this data. */
  | 'newer'
  /** The cursor was not returned by this listing. */
  | 'bad_cursor'
  /** The store is closed. */
  | 'closed'
  /** A thread of the store could not start, or has ended: by an error, or because an update has replaced its file. */
  | 'thread_ended'
  | 'failed'

export interface StoreErrorData {
  code: StoreErrorCode
  message: string
}

/** The only error that the store's operations throw. It crosses threads as StoreErrorData. */
export class StoreError extends Error {
  override name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Wraps a thrown value, which becomes the cause. */
export function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown
  return new StoreError(classify(nativeCode(thrown)), errorMessage(thrown), { cause: thrown })
}

function nativeCode(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown) return String(thrown.code)
  return ''
}

/** Result codes: https://www.sqlite.org/rescode.html; the rest are errno names. */
function classify(code: string): StoreErrorCode {
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC' || code === 'EDQUOT') return 'full'
  if (code.startsWith('SQLITE_IOERR') || code === 'EIO') return 'full'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'locked'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'corrupt'
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'conflict'
  return 'failed'
}
