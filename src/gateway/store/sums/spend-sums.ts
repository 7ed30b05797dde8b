// Spend since moments of the past, for limits at a start.

import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { findSession } from '../rows/session-rows.ts'
import { type Condition, condition, type Db, statement } from '../sql/statement.ts'
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
    where: [COSTLY, ...(isGrouped ? [] : [BILLED]), ...condition('tag = ?', tag ?? undefined)],
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

const SPEND = { nano: 'sum(cost_nano)' }
const COSTLY: Condition = { sql: 'cost_nano > 0', values: [] }
const BILLED: Condition = { sql: `NOT ${IS_SAMPLE}`, values: [] }
