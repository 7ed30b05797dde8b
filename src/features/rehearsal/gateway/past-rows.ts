// Past spend, finely enough to try limits on it.

import type { StorePart } from '../../../gateway/store/part.ts'
import { findSession } from '../../../gateway/store/rows/session-rows.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
} from '../../../gateway/store/sql/statement.ts'
import { readSums } from '../../../gateway/store/sums/rollup-query.ts'

const IS_COSTLY: Condition = { sql: 'cost_nano > 0', values: [] }

export interface PastModel {
  model: string
  /** '' where none was reached. */
  provider: string
}

interface PastFilter {
  /** Null for all keys. */
  keyId: string | null
  /** Null for any. */
  tag: string | null
  /** Only what these cost; null for all. */
  models: readonly PastModel[] | null
  from: number
}

/** All models that were ever used. */
function pastModels(db: Db): PastModel[] {
  return readSums(db, { source: 'day_sums', by: { model: 'model', provider: 'provider' } })
}

interface PastSlot {
  /** The start of 15 minutes. */
  slot: number
  nano: number
}

/** The spend of each 15 minutes, oldest first. */
function pastSlots(db: Db, { from, models, ...place }: PastFilter): PastSlot[] {
  const where = [IS_COSTLY, ...createConditions(place), ...createServedBy(models)]
  return readSums(db, {
    source: 'rollups',
    by: { slot: 'bucket' },
    sums: { nano: 'sum(cost_nano)' },
    from,
    where,
  })
}

interface PastSession {
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
function pastSessions(db: Db, { from, models, ...place }: PastFilter, moreThan: number): PastSession[] {
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
function pastAgents(db: Db, { from, models, ...place }: PastFilter, moreThan: number): PastSession[] {
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
function pastSteps(db: Db, runs: readonly PastRun[], models: readonly PastModel[] | null): PastStep[][] {
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

export const pastRows = {
  name: 'rehearsal',
  reads: { pastModels, pastSlots, pastSessions, pastAgents, pastSteps },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Reads extends Readonly<typeof pastRows.reads> {}
}
