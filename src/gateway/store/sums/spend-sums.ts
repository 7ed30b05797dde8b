// What was spent in parts of the past: what limits count at a start, and a rehearsal of limits.
import type { Span } from '../../../shared/calendar.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { spendSoFar } from '../ledger/charge-totals.ts'
import { sessionsOf } from '../ledger/session-numbers.ts'
import { textsOf } from '../ledger/texts.ts'
import { sumRange } from './rollup-query.ts'
import { slot15mFrom } from './rollup-slots.ts'

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
