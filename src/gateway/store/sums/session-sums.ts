// The sums of sessions: changed with every charge, so that they are always those of its requests.
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { getSessionNumbers, getTexts } from '../ledger/session-numbers.ts'
import { addMeasures, MEASURE_COLUMNS, MEASURE_NAMES, type Measures, type Timings } from './rollup-columns.ts'

/** The part of a settled request that the sums get. */
export interface Charge {
  keyId: string
  /** When the request was made, whenever it was settled. */
  createdAt: number
  endedAt: number
  model: string
  provider: string
  /** The request's `User-Agent`. */
  client: string | null
  /** The number of the session; null for a request without one. */
  session: SqlValue
  tag: string | null
  measures: Measures
  timings: Timings
}

interface SessionSum {
  session: SqlValue
  tag: SqlValue
  startedAt: number
  lastAt: number
  measures: Measures
}

/** The part of a session's sums that one model has. */
type ModelPlace = Record<'session' | 'model' | 'provider', SqlValue>

// JavaScript numbers bind as REAL; the cast keeps the sums in 64-bit integers. Places are bound and not names, which takes
// a fraction of the time.
const addSums = statement<SqlValue[]>(`
  UPDATE sessions SET ${MEASURE_COLUMNS.map((name) => `${name} = ${name} + CAST(? AS INTEGER)`).join(', ')},
    tag = coalesce(tag, ?), started_at = min(started_at, ?), last_at = max(last_at, ?)
  WHERE nr = ?`)
const addToModel = statement<SqlValue[]>(`
  INSERT INTO session_models (session, model, provider, requests, cost_nano) VALUES (?, ?, ?, ?, CAST(? AS INTEGER))
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, cost_nano = cost_nano + excluded.cost_nano`)
const addRefused = statement<[number, number, SqlValue, SqlValue]>(
  'UPDATE sessions SET refused = refused + ?, last_at = max(last_at, ?), tag = coalesce(tag, ?) WHERE nr = ?',
)
const putTitle = statement<[SqlValue, number, string]>(
  'INSERT OR IGNORE INTO session_titles (session, seq, title) VALUES (?, ?, ?)',
)
const addPruned = statement<[number, number, SqlValue]>(`
  UPDATE sessions SET pruned_requests = pruned_requests + ?, pruned_nano = pruned_nano + CAST(? AS INTEGER)
  WHERE nr = ?`)

/** Adds settled requests to their sessions: each sum changes once. Throws a RangeError when one leaves the exact integers. */
export function addToSessions(db: Db, charges: readonly Charge[]): void {
  const bySession = new Map<SqlValue, SessionSum>()
  const byModel = new Map<string, ModelPlace & Pick<Measures, 'requests' | 'costNano'>>()
  const texts = getTexts(db)
  for (const charge of charges) {
    const { session, tag } = charge
    if (session === null) continue
    const { measures, createdAt, endedAt } = charge
    const { requests, costNano } = measures
    let sum = bySession.get(session)
    if (sum) addMeasures(sum.measures, measures)
    else {
      sum = { session, tag: null, startedAt: createdAt, lastAt: endedAt, measures: { ...measures } }
      bySession.set(session, sum)
    }
    sum.tag ??= tag === null ? null : texts.put(tag)
    sum.startedAt = Math.min(sum.startedAt, createdAt)
    sum.lastAt = Math.max(sum.lastAt, endedAt)
    const name = `${session}\n${charge.model}\n${charge.provider}`
    const ofModel = byModel.get(name)
    if (ofModel) {
      ofModel.requests += requests
      ofModel.costNano += costNano
    } else {
      const place = { session, model: texts.put(charge.model), provider: texts.put(charge.provider) }
      byModel.set(name, { ...place, requests, costNano })
    }
  }
  for (const { session, tag, startedAt, lastAt, measures } of bySession.values()) {
    nanoUsd(measures.costNano)
    const values = MEASURE_NAMES.map((name) => measures[name])
    addSums(db).run(...values, tag, startedAt, lastAt, session)
    getSessionNumbers(db).noteActivity(session, lastAt)
  }
  for (const { session, model, provider, requests, costNano } of byModel.values())
    addToModel(db).run(session, model, provider, requests, costNano)
}

/** Adds calls that were refused: they cost nothing, and are counted apart. */
export function addRefusals(
  db: Db,
  { session, tag = null, count, at }: { session: SqlValue; tag?: string | null; count: number; at: number },
): void {
  addRefused(db).run(count, at, tag === null ? null : getTexts(db).put(tag), session)
  getSessionNumbers(db).noteActivity(session, at)
}

/** Changes what a session has spent on a model by a difference of either sign, when an estimate is confirmed. */
export function adjustSession(db: Db, place: ModelPlace, difference: NanoUsd): void {
  addCost(db).run(difference, place.session)
  adjustModel(db).run({ ...place, difference })
}

const addCost = statement<[number, SqlValue]>(
  'UPDATE sessions SET cost_nano = cost_nano + CAST(? AS INTEGER) WHERE nr = ?',
)
const adjustModel = statement<ModelPlace & { difference: number }>(`
  UPDATE session_models SET cost_nano = cost_nano + CAST(@difference AS INTEGER)
  WHERE session = @session AND model = @model AND provider = @provider`)

/** Keeps the first title. It is deleted with the stored prompt of the row `seq`. */
export function putSessionTitle(db: Db, session: SqlValue, seq: number, title: string): void {
  putTitle(db).run(session, seq, title)
}

/** A row of the log that is deleted. */
export interface PrunedRow {
  seq: number
  key_id: SqlValue
  cost_nano: number | null
  session: SqlValue
  count: number
}

/** Notes that rows of the log were deleted. Returns their sessions. */
export function notePruned(db: Db, rows: readonly PrunedRow[]): SqlValue[] {
  const pruned = new Map<SqlValue, { requests: number; nano: NanoUsd }>()
  for (const { session, count, cost_nano } of rows) {
    if (session === null) continue
    const { requests, nano } = pruned.get(session) ?? { requests: 0, nano: ZERO_USD }
    pruned.set(session, { requests: requests + count, nano: addUsd(nano, nanoUsd(cost_nano ?? 0)) })
  }
  for (const [session, { requests, nano }] of pruned)
    addPruned(db).run(requests, nano, BigInt(Number(session)))
  return [...pruned.keys()]
}
