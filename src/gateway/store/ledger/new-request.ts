// The row of a request that is not recorded yet, and that of its session.

import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { requireKey } from './known-keys.ts'
import { encodeRow, insertInto, type NewRow } from './request-columns.ts'
import { type NewSession, sessionsOf } from './session-numbers.ts'

interface WithSession {
  /** What is known of the session `sessionId`, so that it gets a row with its first request. */
  session?: NewSession
}

export type NewRequest = Omit<NewRow, 'status' | 'costStatus'> & WithSession

type Table = 'running' | 'requests'

const INSERT = {
  running: statement<SqlValue[]>(insertInto('running')),
  requests: statement<SqlValue[]>(insertInto('requests')),
}

/** Returns its `seq`. Throws `failed` when its key is unknown, and `conflict` when the table has its id. */
export function insertRow(db: Db, table: Table, row: NewRow & WithSession): number {
  requireKey(db, row.keyId)
  if (row.session) sessionsOf(db).put(row.session, row.createdAt)
  return Number(INSERT[table](db).run(...encodeRow(db, row)).lastInsertRowid)
}
