// Requests that were refused before a provider was called.
import type { ErrorBody } from '../../../shared/api/errors.ts'
import { ZERO_USD } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { getRequest } from '../listings/request-log.ts'
import { addRefusals } from '../sums/session-sums.ts'
import { encodeId, STATUS_CODES } from './request-codecs.ts'
import { insertRow, type NewRequest, type NewRow, type StoredRequest } from './request-columns.ts'
import { getSessionNumbers } from './session-numbers.ts'

/** A request that was refused before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest
  extends Pick<NewRow, 'id' | 'createdAt' | 'keyId' | 'requestedModel' | 'stream' | 'client' | 'totalMs'>,
    Pick<NewRequest, 'sessionId' | 'tag' | 'session'> {
  httpStatus: number
  error: ErrorBody
}

/** The number of calls that the row of a refused request represents so far. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

const recount = statement<[number, number | null, SqlValue]>(
  `UPDATE requests SET count = ?, last_at = ? WHERE id = ? AND status = ${STATUS_CODES.refused}`,
)

/** Records a refused request. It is in the listing, and in no sum. */
export function recordRefused(db: Db, request: RefusedRequest): StoredRequest {
  insertRefused(db, request)
  const inserted = getRequest(db, request.id)
  if (!inserted) throw new Error('the inserted request did not come back')
  return inserted
}

/** Records as `recordRefused` does, without reading the row back. */
export function insertRefused(db: Db, request: RefusedRequest): void {
  insertRow(db, 'requests', {
    ...request,
    status: 'refused',
    costNano: ZERO_USD,
    costStatus: 'free',
    reservedNano: ZERO_USD,
    estimateNano: null,
    settledAt: request.createdAt,
  })
  const session = getSessionNumbers(db).find(request.sessionId)
  if (session !== null) {
    const { tag = null, createdAt } = request
    addRefusals(db, { session, tag, count: 1, at: createdAt })
  }
}

/** Updates the number of calls that the row of a refused request represents. Null when the row has been pruned. */
export function countRefused(db: Db, { id, count, lastAt }: RefusedCount): StoredRequest | null {
  const before = getRequest(db, id)
  if (recount(db).run(count, lastAt, encodeId(id)).changes === 0) return null
  const session = getSessionNumbers(db).find(before?.sessionId)
  if (before && session !== null) {
    addRefusals(db, { session, count: count - before.count, at: lastAt ?? before.createdAt })
  }
  return getRequest(db, id)
}
