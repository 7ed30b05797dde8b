// What was spent in the past, finely enough to try limits on it.

import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { decodeSessionId, hourOf, sessionsOf } from '../ledger/session-numbers.ts'
import { textsOf } from '../ledger/texts.ts'

export interface PastModel {
  model: string
  /** '' where none was reached. */
  provider: string
}

export interface PastFilter {
  /** Null for all keys. */
  keyId: string | null
  /** Null for any. */
  tag: string | null
  /** Only what these cost; null for all. */
  models: readonly PastModel[] | null
  from: number
}

const models = statement<[], { model: SqlValue; provider: SqlValue }>(
  'SELECT DISTINCT model, provider FROM day_sums',
)

/** All models that were ever used. */
export function pastModels(db: Db): PastModel[] {
  const texts = textsOf(db)
  const found = models(db).all()
  return found.map(({ model, provider }) => ({
    model: texts.textOf(model),
    provider: texts.textOf(provider),
  }))
}

export interface PastSlot {
  /** The start of 15 minutes. */
  slot: number
  nano: number
}

/** The spend of each 15 minutes, oldest first. */
export function pastSlots(db: Db, { from, models, ...place }: PastFilter): PastSlot[] {
  const own = isOf(db, place)
  const served = isServedBy(db, models)
  const sql = `
    SELECT bucket AS slot, sum(cost_nano) AS nano FROM rollups
    WHERE bucket >= ? AND cost_nano > 0 ${own.sql} ${served.sql} GROUP BY bucket ORDER BY bucket`
  return db.prepare<SqlValue[], PastSlot>(sql).all(from, ...own.values, ...served.values)
}

export interface PastSession {
  id: string
  startedAt: number
  lastAt: number
  nano: number
}

type SessionRow = Omit<PastSession, 'id'> & { id: Uint8Array }

/**
 * Sessions with a request since `from` that spent more than so much, the oldest first. A tag is that of the session's first
 * request.
 */
export function pastSessions(
  db: Db,
  { from, models, ...place }: PastFilter,
  moreThan: number,
): PastSession[] {
  const own = isOf(db, place)
  const served = isServedBy(db, models)
  const nano =
    models === null
      ? 'cost_nano'
      : `(SELECT sum(cost_nano) FROM session_models WHERE session = nr ${served.sql})`
  const sql = `
    SELECT * FROM (
      SELECT id, nr, started_at AS startedAt, last_at AS lastAt, ${nano} AS nano FROM sessions INDEXED BY sessions_by_hour
      WHERE last_hour >= ? AND last_at >= ? ${own.sql}
    ) WHERE nano > ? ORDER BY lastAt, nr`
  const bound = [...served.values, hourOf(from), from, ...own.values, moreThan]
  const rows = db.prepare<SqlValue[], SessionRow>(sql).all(...bound)
  return rows.map(({ id, startedAt, lastAt, nano }) => ({ id: decodeSessionId(id), startedAt, lastAt, nano }))
}

interface Condition {
  sql: string
  values: SqlValue[]
}

function isOf(db: Db, { keyId, tag }: Pick<PastFilter, 'keyId' | 'tag'>): Condition {
  const texts = textsOf(db)
  const wanted = Object.entries({ key_id: keyId, tag }).filter(([, value]) => value !== null)
  return {
    sql: wanted.map(([column]) => `AND ${column} = ?`).join(' '),
    values: wanted.map(([, value]) => texts.find(value ?? '')),
  }
}

/** `columns`: those of a model and its provider. */
function isServedBy(db: Db, models: PastFilter['models'], columns = 'model, provider'): Condition {
  if (models === null) return { sql: '', values: [] }
  const texts = textsOf(db)
  const pairs = models.map(() => '(?, ?)').join(', ') || '(NULL, NULL)'
  return {
    sql: `AND (${columns}) IN (VALUES ${pairs})`,
    values: models.flatMap(({ model, provider }) => [texts.find(model), texts.find(provider)]),
  }
}

export interface PastStep {
  at: number
  nano: number
}

/** The requests of sessions that cost something, as far as the log has them, the oldest first. `models`: only of these. */
export function pastSteps(db: Db, ids: readonly string[], models: readonly PastModel[] | null): PastStep[][] {
  // Sums have the number of an empty text where rows have NULL.
  const served = isServedBy(db, models, 'coalesce(model, requested_model), coalesce(provider, ?)')
  const steps = db.prepare<SqlValue[], PastStep>(`
    SELECT created_at AS at, cost_nano AS nano FROM requests INDEXED BY requests_by_session
    WHERE session = ? AND cost_nano > 0 ${served.sql} ORDER BY created_at, seq`)
  const values = models === null ? [] : [textsOf(db).find(''), ...served.values]
  return ids.map((id) => {
    const session = sessionsOf(db).find(id)
    return session === null ? [] : steps.all(session, ...values)
  })
}
