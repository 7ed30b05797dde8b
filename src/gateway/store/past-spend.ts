// What was spent in the past, finely enough to try limits on it.

import { decodeSessionId, hourOf, sessionsOf } from './session-numbers.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { textsOf } from './texts.ts'

export interface PastFilter {
  /** Null for all keys. */
  keyId: string | null
  /** Null for any. */
  tag: string | null
}

export interface PastSlot {
  /** The start of 15 minutes. */
  slot: number
  model: string
  provider: string
  nano: number
}

interface SlotRow {
  slot: number
  model: SqlValue
  provider: SqlValue
  nano: number
}

const slotsSql = (where: string) => `
  SELECT bucket AS slot, model, provider, sum(cost_nano) AS nano
  FROM rollups WHERE bucket >= ? ${where} AND cost_nano > 0 GROUP BY bucket, model, provider ORDER BY bucket`
const slots = statement<[number], SlotRow>(slotsSql(''))
const slotsOfKey = statement<[number, SqlValue], SlotRow>(slotsSql('AND key_id = ?'))
const slotsOfTag = statement<[number, SqlValue], SlotRow>(slotsSql('AND tag = ?'))

/** The spend since `from` of each 15 minutes, model and provider, oldest first. */
export function pastSlots(db: Db, { keyId, tag }: PastFilter, from: number): PastSlot[] {
  const texts = textsOf(db)
  const rows =
    tag !== null
      ? slotsOfTag(db).all(from, texts.find(tag))
      : keyId === null
        ? slots(db).all(from)
        : slotsOfKey(db).all(from, texts.find(keyId))
  return rows.map(({ model, provider, ...row }) => ({
    ...row,
    model: texts.textOf(model),
    provider: texts.textOf(provider),
  }))
}

export interface PastSession {
  id: string
  startedAt: number
  lastAt: number
  models: { model: string; provider: string; nano: number }[]
}

interface SessionRow {
  id: Uint8Array
  startedAt: number
  lastAt: number
  model: SqlValue
  provider: SqlValue
  nano: number
}

const sessionsSql = (where: string) => `
  SELECT id, started_at AS startedAt, last_at AS lastAt, model, provider, session_models.cost_nano AS nano
  FROM sessions INDEXED BY sessions_by_hour JOIN session_models ON session = nr
  WHERE last_hour >= ? AND last_at >= ? ${where} ORDER BY last_hour, last_at, nr`
const sessions = statement<[number, number], SessionRow>(sessionsSql(''))
const sessionsOfKey = statement<[number, number, SqlValue], SessionRow>(sessionsSql('AND key_id = ?'))
const sessionsOfTag = statement<[number, number, SqlValue], SessionRow>(sessionsSql('AND tag = ?'))

/** Sessions with a request since `from`, the oldest first. A tag is that of the session's first request. */
export function pastSessions(db: Db, { keyId, tag }: PastFilter, from: number): PastSession[] {
  const texts = textsOf(db)
  const hour = hourOf(from)
  const rows =
    tag !== null
      ? sessionsOfTag(db).all(hour, from, texts.find(tag))
      : keyId === null
        ? sessions(db).all(hour, from)
        : sessionsOfKey(db).all(hour, from, texts.find(keyId))
  const found = new Map<string, PastSession>()
  for (const { id: encoded, startedAt, lastAt, model, provider, nano } of rows) {
    const id = decodeSessionId(encoded)
    const session = found.get(id) ?? { id, startedAt, lastAt, models: [] }
    found.set(id, session)
    session.models.push({ model: texts.textOf(model), provider: texts.textOf(provider), nano })
  }
  return [...found.values()]
}

interface StepRow {
  at: number
  model: SqlValue
  provider: SqlValue
  nano: number
}

const steps = statement<[bigint], StepRow>(`
  SELECT created_at AS at, coalesce(model, requested_model) AS model, provider, cost_nano AS nano
  FROM requests INDEXED BY requests_by_session WHERE session = ? AND cost_nano > 0 ORDER BY created_at, seq`)

export interface PastStep {
  at: number
  model: string
  provider: string
  nano: number
}

/** The requests of sessions that cost something, as far as the log has them, the oldest first. */
export function pastSteps(db: Db, ids: readonly string[]): PastStep[][] {
  const texts = textsOf(db)
  return ids.map((id) => {
    const session = sessionsOf(db).find(id)
    const rows = session === null ? [] : steps(db).all(session)
    return rows.map(({ model, provider, ...row }) => ({
      ...row,
      model: texts.textOf(model),
      provider: provider === null ? '' : texts.textOf(provider),
    }))
  })
}
