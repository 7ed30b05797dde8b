// Amounts that stay reserved after a request, because its provider may bill more than was charged.
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { getBySeq } from '../listings/request-log.ts'
import { encodeId } from './request-codecs.ts'
import type { StoredRequest } from './request-columns.ts'

/** Milliseconds for which an amount is held under limits that are not strict. */
export const HOLD_MS = 3_600_000
/** The time under strict limits. */
export const STRICT_HOLD_MS = 24 * HOLD_MS

export interface Hold {
  nano: NanoUsd
  /** Epoch milliseconds. */
  until: number
}

export interface StoredHold extends Hold {
  request: StoredRequest
}

const put = statement<[number, number, number]>(
  'INSERT OR REPLACE INTO holds (seq, held_nano, held_until) VALUES (?, CAST(? AS INTEGER), CAST(? AS INTEGER))',
)
const all = statement<[], Hold & { seq: number }>(
  'SELECT seq, held_nano AS nano, held_until AS until FROM holds',
)
const removeExpired = statement<[number]>('DELETE FROM holds WHERE held_until <= ?')
const remove = statement<[SqlValue]>('DELETE FROM holds WHERE seq = (SELECT seq FROM requests WHERE id = ?)')
const strictKey = statement<[string], { strict: number }>('SELECT strict FROM keys WHERE id = ?')
const strictAccount = statement<[], { strict: number | null }>(
  "SELECT json_extract(value, '$.strictLimits') AS strict FROM settings WHERE name = 'settings'",
)

/** Holds nothing for an amount of zero. */
export function putHold(db: Db, seq: number, { nano, until }: Hold): void {
  if (nano > 0) put(db).run(seq, nano, until)
}

/** The hold of a request that was interrupted between a charge of `costNano` and its highest cost. */
export function holdAbandoned(
  db: Db,
  { keyId }: Pick<StoredRequest, 'keyId'>,
  { costNano, costHighNano, settledAt }: { costNano: number; costHighNano: number; settledAt: number },
): Hold {
  const isStrict = strictKey(db).get(keyId)?.strict === 1 || strictAccount(db).get()?.strict === 1
  const until = settledAt + (isStrict ? STRICT_HOLD_MS : HOLD_MS)
  return { nano: nanoUsd(Math.max(0, costHighNano - costNano)), until }
}

/** Deletes the holds that have ended, and returns the others. */
export function loadHolds(db: Db, { now }: { now: number }): StoredHold[] {
  removeExpired(db).run(now)
  return all(db)
    .all()
    .map(({ seq, ...hold }) => ({ request: getBySeq(db, seq), ...hold }))
}

/** Ends the hold of a request, if it has one. */
export function removeHold(db: Db, id: string): void {
  remove(db).run(encodeId(id))
}
