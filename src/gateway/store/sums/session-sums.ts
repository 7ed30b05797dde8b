// The sums of sessions: changed with every charge, so that they are always those of its requests.
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'
import { MEASURE_COLUMNS, MEASURE_NAMES, type Measures } from './rollup-columns.ts'

/** The part of a session's sums that one model has. */
interface ModelPlace {
  session: number
  model: string
  provider: string
}

// JavaScript numbers bind as REAL; the cast keeps the sums in 64-bit integers. Places are bound and not names, which takes
// a fraction of the time.
const addSums = statement<SqlValue[]>(`
  UPDATE sessions SET ${MEASURE_COLUMNS.map((name) => `${name} = ${name} + CAST(? AS INTEGER)`).join(', ')},
    tag = coalesce(tag, ?), started_at = min(started_at, ?), last_at = max(last_at, ?)
  WHERE nr = ?`)
const addToModel = statement<SqlValue[]>(`
  INSERT INTO session_models (session, model, provider, requests, cost_nano) VALUES (?, ?, ?, ?, CAST(? AS INTEGER))
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, cost_nano = cost_nano + excluded.cost_nano`)
const addRefused = statement<[number, number, string | null, number]>(
  'UPDATE sessions SET refused = refused + ?, last_at = max(last_at, ?), tag = coalesce(tag, ?) WHERE nr = ?',
)
const putTitle = statement<[number, number, string]>(
  'INSERT OR IGNORE INTO session_titles (session, seq, title) VALUES (?, ?, ?)',
)
const addPruned = statement<[number, number, number]>(`
  UPDATE sessions SET pruned_requests = pruned_requests + ?, pruned_nano = pruned_nano + CAST(? AS INTEGER)
  WHERE nr = ?`)

/** Adds a settled request to its session. */
export function addToSession(
  db: Db,
  { session, model, provider }: ModelPlace,
  measures: Measures,
  { tag, createdAt, endedAt }: { tag: string | null; createdAt: number; endedAt: number },
): void {
  const values = MEASURE_NAMES.map((name) => measures[name])
  addSums(db).run(...values, tag, createdAt, endedAt, session)
  addToModel(db).run(session, model, provider, measures.requests, measures.costNano)
}

/** Adds calls that were refused: they cost nothing, and are counted apart. */
export function addRefusals(
  db: Db,
  { session, tag = null, count, at }: { session: number; tag?: string | null; count: number; at: number },
): void {
  addRefused(db).run(count, at, tag, session)
}

/** Changes what a session has spent on a model by a difference of either sign, when an estimate is confirmed. */
export function adjustSession(db: Db, place: ModelPlace, difference: NanoUsd): void {
  addCost(db).run(difference, place.session)
  adjustModel(db).run({ ...place, difference })
}

const addCost = statement<[number, number]>(
  'UPDATE sessions SET cost_nano = cost_nano + CAST(? AS INTEGER) WHERE nr = ?',
)
const adjustModel = statement<ModelPlace & { difference: number }>(`
  UPDATE session_models SET cost_nano = cost_nano + CAST(@difference AS INTEGER)
  WHERE session = @session AND model = @model AND provider = @provider`)

/** Keeps the first title. It is deleted with the stored prompt of the row `seq`. */
export function putSessionTitle(db: Db, session: number, seq: number, title: string): void {
  putTitle(db).run(session, seq, title)
}

/** A row of the log that is deleted. */
export interface PrunedRow {
  seq: number
  key_id: string
  cost_nano: number | null
  session: number | null
  count: number
}

/** Notes that rows of the log were deleted. Returns their sessions. */
export function notePruned(db: Db, rows: readonly PrunedRow[]): number[] {
  const pruned = new Map<number, { requests: number; nano: NanoUsd }>()
  for (const { session, count, cost_nano } of rows) {
    if (session === null) continue
    const { requests, nano } = pruned.get(session) ?? { requests: 0, nano: ZERO_USD }
    pruned.set(session, { requests: requests + count, nano: addUsd(nano, nanoUsd(cost_nano ?? 0)) })
  }
  for (const [session, { requests, nano }] of pruned) addPruned(db).run(requests, nano, session)
  return [...pruned.keys()]
}
