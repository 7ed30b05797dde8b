// Spend in parts of the past: for limits at a start, and for a rehearsal of limits.

import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { Span } from '../../../shared/values/calendar.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../engine/statement.ts'
import { readAccountSpend } from '../ledger/ledger.ts'
import { decodeSessionId, getHour, getSessionNumbers, getTexts } from '../ledger/session-numbers.ts'
import { slot15mFrom } from './rollup-columns.ts'
import { readSums, sumRange } from './rollup-query.ts'

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
  /** The account's spend with sample costs. */
  accountNano: NanoUsd
  /** In the order of the parts. */
  sums: SpendSum[][]
}

type Row = Record<'keyId' | 'model' | 'provider', SqlValue> & { slot?: number; nano: number }

/** The spend of each part, and all spend ever, from one snapshot. */
export function spendIn(db: Db, parts: readonly SpendPart[]): SpendIn {
  return db.transaction(() => ({
    accountNano: readAccountSpend(db),
    sums: parts.map((part) => sumPart(db, part)),
  }))()
}

function sumPart(db: Db, { start, end, bySlot, isGrouped, tag }: SpendPart): SpendSum[] {
  if (!bySlot && !isGrouped && tag === null) {
    const sums = sumRange(db, { group: null, split: null }, start, end)
    const nano = nanoUsd(sums.reduce((sum, { costNano }) => sum + costNano, 0))
    return [{ slot: 0, keyId: '', model: '', provider: '', nano }]
  }
  const texts = getTexts(db)
  const rows = readSums<Row>(db, {
    source: bySlot ? 'rollups' : 'day_sums',
    by: { ...(bySlot && { slot: 'bucket' }), keyId: 'key_id', model: 'model', provider: 'provider' },
    sums: SPEND,
    ...{ from: slot15mFrom(start), to: slot15mFrom(end) },
    where: [COSTLY, ...createConditions(db, { keyId: null, tag })],
  })
  return rows.map(({ slot = 0, keyId, model, provider, nano }) => ({
    slot,
    keyId: texts.getName(keyId),
    model: texts.getName(model),
    provider: texts.getName(provider),
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

const ofAgent = statement<[bigint, SqlValue, SqlValue, SqlValue], Pick<Row, 'model' | 'provider' | 'nano'>>(`
  SELECT coalesce(model, requested_model) AS model, provider, sum(cost_nano) AS nano
  FROM requests WHERE session = ? AND agent_id = ? AND (? IS NULL OR tag = ?) AND cost_nano > 0 GROUP BY 1, 2`)

/** A session, or one of its sub-agents, whose spend is read; with a tag, only that of the project. */
interface RunFilter {
  id: string
  agentId: string | null
  tag: string | null
}

/**
 * What a session has spent on each model: with a tag, without what is known to have another one. Of requests that the log no
 * longer has, the tag is unknown, and so they count. What a sub-agent has spent is what the log has of it.
 */
export function sessionSpend(db: Db, { id, agentId, tag }: RunFilter): SessionSpend {
  return db.transaction(() => {
    const session = getSessionNumbers(db).find(id)
    const texts = getTexts(db)
    const read = (rows: readonly Pick<Row, 'model' | 'provider' | 'nano'>[]) =>
      rows.map(({ model, provider, nano }) => ({
        model: texts.getName(model),
        provider: texts.getName(provider),
        nano,
      }))
    if (session !== null && agentId !== null) {
      const ofTag = tag === null ? null : texts.find(tag)
      const rows = ofAgent(db).all(session, texts.find(agentId), ofTag, ofTag)
      return { accountNano: readAccountSpend(db), models: read(rows) }
    }
    const models = session === null ? [] : read(ofSession(db).all(session))
    const others = session === null || tag === null ? [] : read(ofOtherTags(db).all(session, texts.find(tag)))
    for (const other of others) {
      const own = models.find(({ model, provider }) => model === other.model && provider === other.provider)
      if (own) own.nano -= other.nano
    }
    return { accountNano: readAccountSpend(db), models }
  })()
}

// Past spend, finely enough to try limits on it.

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

/** All models that were ever used. */
export function pastModels(db: Db): PastModel[] {
  const texts = getTexts(db)
  const by = { model: 'model', provider: 'provider' }
  return readSums<Record<keyof typeof by, SqlValue>>(db, { source: 'day_sums', by }).map((row) => ({
    model: texts.getText(row.model),
    provider: texts.getText(row.provider),
  }))
}

export interface PastSlot {
  /** The start of 15 minutes. */
  slot: number
  nano: number
}

/** The spend of each 15 minutes, oldest first. */
export function pastSlots(db: Db, { from, models, ...place }: PastFilter): PastSlot[] {
  const where = [COSTLY, ...createConditions(db, place), ...createServedBy(db, models)]
  return readSums(db, { source: 'rollups', by: { slot: 'bucket' }, sums: SPEND, from, where })
}

export interface PastSession {
  id: string
  /** Null for the whole session. */
  agentId: string | null
  startedAt: number
  lastAt: number
  nano: number
}

type SessionRow = Omit<PastSession, 'id' | 'agentId'> & { id: Uint8Array; agent: SqlValue }

/**
 * Sessions with a request since `from` that spent more than so much, the oldest first. A tag is that of the session's first
 * request.
 */
export function pastSessions(
  db: Db,
  { from, models, ...place }: PastFilter,
  moreThan: number,
): PastSession[] {
  const served = joinConditions([{ sql: 'session = nr', values: [] }, ...createServedBy(db, models)])
  const nano = models === null ? 'cost_nano' : `(SELECT sum(cost_nano) FROM session_models ${served.where})`
  const { where, values } = joinConditions([
    { sql: 'last_hour >= ? AND last_at >= ?', values: [getHour(from), from] },
    ...createConditions(db, place),
  ])
  const rows = db.prepare<SqlValue[], SessionRow>(`
    SELECT * FROM (
      SELECT id, NULL AS agent, nr, started_at AS startedAt, last_at AS lastAt, ${nano} AS nano
      FROM sessions INDEXED BY sessions_by_hour ${where}
    ) WHERE nano > ? ORDER BY lastAt, nr`)
  return rows
    .all(...(models === null ? [] : served.values), ...values, moreThan)
    .map((row) => toPastSession(db, row))
}

/** The same of sub-agents, as far as the log has their requests. */
export function pastAgents(db: Db, { from, models, ...place }: PastFilter, moreThan: number): PastSession[] {
  const { where, values } = joinConditions([
    { sql: 'agent_id IS NOT NULL AND created_at >= ? AND cost_nano > 0', values: [from] },
    ...createConditions(db, place),
    ...createServedBy(db, models, 'rows'),
  ])
  return db
    .prepare<SqlValue[], SessionRow>(`
      SELECT sessions.id, agent_id AS agent, min(created_at) AS startedAt, max(created_at) AS lastAt, nano FROM (
        SELECT session, agent_id, created_at, sum(cost_nano) OVER (PARTITION BY session, agent_id) AS nano
        FROM requests ${where}
      ) JOIN sessions ON nr = session WHERE nano > ? GROUP BY session, agent_id ORDER BY lastAt, nr`)
    .all(...values, moreThan)
    .map((row) => toPastSession(db, row))
}

function toPastSession(db: Db, { id, agent, startedAt, lastAt, nano }: SessionRow): PastSession {
  return { id: decodeSessionId(id), agentId: getTexts(db).getOptional(agent), startedAt, lastAt, nano }
}

const SPEND = { nano: 'sum(cost_nano)' }
const COSTLY: Condition = { sql: 'cost_nano > 0', values: [] }

function createConditions(db: Db, { keyId, tag }: Pick<PastFilter, 'keyId' | 'tag'>): Condition[] {
  const texts = getTexts(db)
  return [
    ...(keyId === null ? [] : condition('key_id = ?', texts.find(keyId))),
    ...(tag === null ? [] : condition('tag = ?', texts.find(tag))),
  ]
}

function createServedBy(db: Db, models: PastFilter['models'], source: 'sums' | 'rows' = 'sums'): Condition[] {
  if (models === null) return []
  const texts = getTexts(db)
  // Sums have the number of an empty text where rows have NULL.
  const columns =
    source === 'sums' ? 'model, provider' : 'coalesce(model, requested_model), coalesce(provider, ?)'
  const find = (text: string) => {
    const number = texts.find(text)
    return typeof number === 'bigint' ? `${number}` : JSON.stringify(number)
  }
  const pairs = models.map(({ model, provider }) => `[${find(model)},${find(provider)}]`)
  const sql = `(${columns}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`
  return [{ sql, values: [...(source === 'sums' ? [] : [texts.find('')]), `[${pairs.join(',')}]`] }]
}

export interface PastStep {
  at: number
  nano: number
}

/** A session, or one of its sub-agents. */
type PastRun = Pick<PastSession, 'id' | 'agentId'>

/** The requests of runs that cost something, as far as the log has them, the oldest first. `models`: only of these. */
export function pastSteps(
  db: Db,
  runs: readonly PastRun[],
  models: readonly PastModel[] | null,
): PastStep[][] {
  const served = createServedBy(db, models, 'rows')
  const ofRun = { sql: 'session = ? AND (? IS NULL OR agent_id = ?) AND cost_nano > 0', values: [] }
  const { where, values } = joinConditions([ofRun, ...served])
  const steps = db.prepare<SqlValue[], PastStep>(`
    SELECT created_at AS at, cost_nano AS nano FROM requests INDEXED BY requests_by_session ${where}
    ORDER BY created_at, seq`)
  return runs.map(({ id, agentId }) => {
    const session = getSessionNumbers(db).find(id)
    const agent = agentId === null ? null : getTexts(db).find(agentId)
    return session === null ? [] : steps.all(session, agent, agent, ...values)
  })
}
