// The sessions of the request log.
import { SESSION_SOURCES, type SessionSource } from '../../shared/sessions.ts'
import { decodeSessionId, type NewSession, SOURCE_CODES } from './session-numbers.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { textsOf } from './texts.ts'

/** A session that may go on. */
export interface RecentSession extends NewSession {
  lastAt: number
}

interface Row {
  id: Uint8Array
  source: number
  clientSessionId: string | null
  keyId: SqlValue
  client: SqlValue
  lastAt: number
}

const recent = statement<[number], Row>(`
  SELECT id, source, client_session_id AS clientSessionId, key_id AS keyId, client, last_at AS lastAt
  FROM sessions INDEXED BY sessions_by_time WHERE last_at >= ? ORDER BY last_at`)

/** Sessions with a request since then, the oldest first. */
export function recentSessions(db: Db, since: number): RecentSession[] {
  const texts = textsOf(db)
  return recent(db)
    .all(since)
    .map(({ id, source, keyId, client, ...row }) => ({
      ...row,
      id: decodeSessionId(id),
      source: sourceOf(source),
      keyId: texts.textOf(keyId),
      clientName: texts.textOf(client),
    }))
}

function sourceOf(code: number): SessionSource {
  const source = SESSION_SOURCES.find((each) => SOURCE_CODES[each] === code)
  if (!source) throw new Error(`no source of sessions has the code ${code}`)
  return source
}
