// The rows of sessions. Other tables name a session by its number, which takes a byte or two instead of 36.
import type { SessionSource } from '../../../shared/api/sessions.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'

/** The facts known of a session when its first request arrives. */
export interface NewSession {
  /** `ses_` and 32 hexadecimal digits. */
  id: string
  source: SessionSource
  /** The client's own id of the session; null for one without. */
  clientSessionId: string | null
  keyId: string
  /** The name of the calling program; '' for none. */
  clientName: string
}

const insert = statement<SqlValue[]>(`
  INSERT INTO sessions (id, source, client_session_id, key_id, client, started_at, last_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`)
const byId = statement<[string], { nr: number }>('SELECT nr FROM sessions WHERE id = ?')

/** Inserts a session, unless it is known. */
export function putSession(db: Db, session: NewSession, startedAt: number): void {
  const { id, source, clientSessionId, keyId, clientName } = session
  if (findSession(db, id) !== null) return
  insert(db).run(id, source, clientSessionId, keyId, clientName, startedAt, startedAt)
}

/** The number of a session; null for none, and for an unknown one. */
export function findSession(db: Db, id: string | null | undefined): number | null {
  return id ? (byId(db).get(id)?.nr ?? null) : null
}
