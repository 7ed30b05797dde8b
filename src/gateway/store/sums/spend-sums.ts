// Spend in parts of the past: for limits at a start, and for a rehearsal of limits.

import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { findSession } from '../rows/session-rows.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../sql/statement.ts'
import { IS_SAMPLE, slot15mFrom } from './rollup-columns.ts'
import { readSums } from './rollup-query.ts'

/** Spend since a moment, or what is dated later. Without `bySlot` the moment must be the beginning of a day of the rollups. */
export interface SpendPart {
  from: number
  /** For each 15-minute slot. */
  bySlot: boolean
  /** For each key, model and provider; otherwise without sample costs. */
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

type Row = Pick<SpendSum, 'nano'> & Partial<SpendSum>

const accountSpend = statement<[], { spend_nano: number }>('SELECT spend_nano FROM account WHERE id = 1')

/** The sum of all charges ever made. */
export function readAccountSpend(db: Db): NanoUsd {
  return nanoUsd(accountSpend(db).get()?.spend_nano ?? 0)
}

/** The spend of each part, and all spend ever, from one snapshot. */
export function spendIn(db: Db, parts: readonly SpendPart[]): SpendIn {
  return db.transaction(() => ({
    accountNano: readAccountSpend(db),
    sums: parts.map((part) => sumPart(db, part)),
  }))()
}

function sumPart(db: Db, { from, bySlot, isGrouped, tag }: SpendPart): SpendSum[] {
  const rows = readSums<Row>(db, {
    source: bySlot ? 'rollups' : 'day_sums',
    by: {
      ...(bySlot && { slot: 'bucket' }),
      ...(isGrouped && { keyId: 'key_id', model: 'model', provider: 'provider' }),
    },
    sums: SPEND,
    from: slot15mFrom(from),
    where: [COSTLY, ...(isGrouped ? [] : [BILLED]), ...createConditions({ keyId: null, tag })],
  })
  return rows.map((row) => ({ slot: 0, keyId: '', model: '', provider: '', ...row }))
}

type ModelSpend = Pick<SpendSum, 'model' | 'provider' | 'nano'>

export interface SessionSpend {
  accountNano: NanoUsd
  models: ModelSpend[]
}

const ofSession = statement<[number], ModelSpend>(
  'SELECT model, provider, cost_nano AS nano FROM session_models WHERE session = ?',
)

const OF_ROWS = `
  SELECT coalesce(model, requested_model) AS model, ifnull(provider, '') AS provider, sum(cost_nano) AS nano
  FROM requests WHERE session = ? AND cost_nano > 0`

const ofOtherTags = statement<[number, string], ModelSpend>(`${OF_ROWS} AND tag IS NOT ? GROUP BY 1, 2`)

const ofAgent = statement<[number, string, string | null, string | null], ModelSpend>(
  `${OF_ROWS} AND agent_id = ? AND (? IS NULL OR tag = ?) GROUP BY 1, 2`,
)

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
    const accountNano = readAccountSpend(db)
    const session = findSession(db, id)
    if (session === null) return { accountNano, models: [] }
    if (agentId !== null) return { accountNano, models: ofAgent(db).all(session, agentId, tag, tag) }
    const models = ofSession(db).all(session)
    const others = tag === null ? [] : ofOtherTags(db).all(session, tag)
    for (const other of others) {
      const own = models.find(({ model, provider }) => model === other.model && provider === other.provider)
      if (own) own.nano -= other.nano
    }
    return { accountNano, models }
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
  return readSums(db, { source: 'day_sums', by: { model: 'model', provider: 'provider' } })
}

export interface PastSlot {
  /** The start of 15 minutes. */
  slot: number
  nano: number
}

/** The spend of each 15 minutes, oldest first. */
export function pastSlots(db: Db, { from, models, ...place }: PastFilter): PastSlot[] {
  const where = [COSTLY, ...createConditions(place), ...createServedBy(models)]
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

/**
 * Sessions with a request since `from` that spent more than so much, the oldest first. A tag is that of the session's first
 * request.
 */
export function pastSessions(
  db: Db,
  { from, models, ...place }: PastFilter,
  moreThan: number,
): PastSession[] {
  const served = joinConditions([{ sql: 'session = nr', values: [] }, ...createServedBy(models)])
  const nano = models === null ? 'cost_nano' : `(SELECT sum(cost_nano) FROM session_models ${served.where})`
  const { where, values } = joinConditions([
    { sql: 'last_at >= ?', values: [from] },
    ...createConditions(place),
  ])
  return db
    .prepare<SqlValue[], PastSession>(`
      SELECT id, NULL AS agentId, startedAt, lastAt, nano FROM (
        SELECT id, nr, started_at AS startedAt, last_at AS lastAt, ${nano} AS nano FROM sessions ${where}
      ) WHERE nano > ? ORDER BY lastAt, nr`)
    .all(...(models === null ? [] : served.values), ...values, moreThan)
}

/** The same of sub-agents, as far as the log has their requests. */
export function pastAgents(db: Db, { from, models, ...place }: PastFilter, moreThan: number): PastSession[] {
  const { where, values } = joinConditions([
    { sql: 'agent_id IS NOT NULL AND created_at >= ? AND cost_nano > 0', values: [from] },
    ...createConditions(place),
    ...createServedBy(models, 'rows'),
  ])
  return db
    .prepare<SqlValue[], PastSession>(`
      SELECT sessions.id, agent_id AS agentId, min(created_at) AS startedAt, max(created_at) AS lastAt, nano FROM (
        SELECT session, agent_id, created_at, sum(cost_nano) OVER (PARTITION BY session, agent_id) AS nano
        FROM requests ${where}
      ) JOIN sessions ON nr = session WHERE nano > ? GROUP BY session, agent_id ORDER BY lastAt, nr`)
    .all(...values, moreThan)
}

const SPEND = { nano: 'sum(cost_nano)' }
const COSTLY: Condition = { sql: 'cost_nano > 0', values: [] }
const BILLED: Condition = { sql: `NOT ${IS_SAMPLE}`, values: [] }

function createConditions({ keyId, tag }: Pick<PastFilter, 'keyId' | 'tag'>): Condition[] {
  return [...condition('key_id = ?', keyId ?? undefined), ...condition('tag = ?', tag ?? undefined)]
}

function createServedBy(models: PastFilter['models'], source: 'sums' | 'rows' = 'sums'): Condition[] {
  if (models === null) return []
  const columns =
    source === 'sums' ? 'model, provider' : "coalesce(model, requested_model), ifnull(provider, '')"
  const pairs = models.map(({ model, provider }) => [model, provider])
  const sql = `(${columns}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`
  return [{ sql, values: [JSON.stringify(pairs)] }]
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
  const served = createServedBy(models, 'rows')
  const ofRun = { sql: 'session = ? AND (? IS NULL OR agent_id = ?) AND cost_nano > 0', values: [] }
  const { where, values } = joinConditions([ofRun, ...served])
  const steps = db.prepare<SqlValue[], PastStep>(`
    SELECT created_at AS at, cost_nano AS nano FROM requests ${where}
    ORDER BY created_at, seq`)
  return runs.map(({ id, agentId }) => {
    const session = findSession(db, id)
    return session === null ? [] : steps.all(session, agentId, agentId, ...values)
  })
}
