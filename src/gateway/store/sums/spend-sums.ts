// What was spent in parts of the past: what limits count at a start, and a rehearsal of limits.
import type { Span } from '../../../shared/calendar.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { spendSoFar } from '../ledger/ledger.ts'
import { decodeSessionId, hourOf, sessionsOf, textsOf } from '../ledger/session-numbers.ts'
import { slot15mFrom } from './rollup-columns.ts'
import { sumRange } from './rollup-query.ts'

/** Spend of requests made in the span. Without `bySlot` it must begin and end with days of the rollups. */
export interface SpendPart extends Span {
  /** For each 15-minute slot. */
  bySlot: boolean
  /** For each key, model and provider; otherwise without sample costs, unless it is by slot. */
  isGrouped: boolean
  /** Only that of requests with this tag; null for all. */
  tag: string | null
}

export interface SpendSum {
  /** The start of the slot; 0 where slots are not told apart. */
  slot: number
  keyId: string
  model: string
  provider: string
  nano: number
}

export interface SpendIn {
  /** With sample costs. */
  accountNano: NanoUsd
  /** In the order of the parts. */
  sums: SpendSum[][]
}

interface Row {
  slot: number
  keyId: SqlValue
  model: SqlValue
  provider: SqlValue
  nano: number
}

const GROUPS = 'key_id AS keyId, model, provider'
const ofSlots = `
  SELECT bucket AS slot, ${GROUPS}, sum(cost_nano) AS nano
  FROM rollups WHERE bucket >= ? AND bucket < ? AND cost_nano > 0`
const ofDays = `
  SELECT 0 AS slot, ${GROUPS}, sum(cost_nano) AS nano
  FROM day_sums WHERE bucket >= ? AND bucket < ? AND cost_nano > 0`
const BY_SLOT = 'GROUP BY bucket, key_id, model, provider'
const BY_GROUP = 'GROUP BY key_id, model, provider'
const slots = statement<[number, number], Row>(`${ofSlots} ${BY_SLOT}`)
const days = statement<[number, number], Row>(`${ofDays} ${BY_GROUP}`)
const taggedSlots = statement<[number, number, SqlValue], Row>(`${ofSlots} AND tag = ? ${BY_SLOT}`)
const taggedDays = statement<[number, number, SqlValue], Row>(`${ofDays} AND tag = ? ${BY_GROUP}`)

/** The spend of each part, and all spend ever, from one snapshot. */
export function spendIn(db: Db, parts: readonly SpendPart[]): SpendIn {
  return db.transaction(() => ({
    accountNano: spendSoFar(db, '').accountSpendNano,
    sums: parts.map((part) => sumPart(db, part)),
  }))()
}

function sumPart(db: Db, { start, end, bySlot, isGrouped, tag }: SpendPart): SpendSum[] {
  if (!bySlot && !isGrouped && tag === null) {
    const sums = sumRange(db, { group: null, split: null }, start, end)
    const nano = nanoUsd(sums.reduce((sum, { costNano }) => sum + costNano, 0))
    return [{ slot: 0, keyId: '', model: '', provider: '', nano }]
  }
  const texts = textsOf(db)
  const nameOf = (stored: SqlValue) => (stored === null ? '' : texts.textOf(stored))
  const range = [slot15mFrom(start), slot15mFrom(end)] as const
  const rows =
    tag === null
      ? (bySlot ? slots : days)(db).all(...range)
      : (bySlot ? taggedSlots : taggedDays)(db).all(...range, texts.find(tag))
  return rows.map(({ slot, keyId, model, provider, nano }) => ({
    slot,
    keyId: nameOf(keyId),
    model: nameOf(model),
    provider: nameOf(provider),
    nano,
  }))
}

export interface SessionSpend {
  accountNano: NanoUsd
  models: { model: string; provider: string; nano: number }[]
}

const ofSession = statement<[bigint], Pick<Row, 'model' | 'provider' | 'nano'>>(
  'SELECT model, provider, cost_nano AS nano FROM session_models WHERE session = ?',
)

const ofOtherTags = statement<[bigint, SqlValue], Pick<Row, 'model' | 'provider' | 'nano'>>(`
  SELECT coalesce(model, requested_model) AS model, provider, sum(cost_nano) AS nano
  FROM requests WHERE session = ? AND tag IS NOT ? AND cost_nano > 0 GROUP BY 1, 2`)

/**
 * What a session has spent on each model: with a tag, without what is known to have another one. Of requests that the log no
 * longer has, the tag is unknown, and so they count.
 */
export function sessionSpend(db: Db, id: string, tag: string | null): SessionSpend {
  return db.transaction(() => {
    const session = sessionsOf(db).find(id)
    const texts = textsOf(db)
    const nameOf = (stored: SqlValue) => (stored === null ? '' : texts.textOf(stored))
    const read = (rows: readonly Pick<Row, 'model' | 'provider' | 'nano'>[]) =>
      rows.map(({ model, provider, nano }) => ({ model: nameOf(model), provider: nameOf(provider), nano }))
    const models = session === null ? [] : read(ofSession(db).all(session))
    const others = session === null || tag === null ? [] : read(ofOtherTags(db).all(session, texts.find(tag)))
    for (const other of others) {
      const own = models.find(({ model, provider }) => model === other.model && provider === other.provider)
      if (own) own.nano -= other.nano
    }
    return { accountNano: spendSoFar(db, '').accountSpendNano, models }
  })()
}

// What was spent in the past, finely enough to try limits on it.

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
