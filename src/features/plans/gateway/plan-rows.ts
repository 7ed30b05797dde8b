// The plans of clients, as their vendors last reported them, and how full their windows were.
import type { StorePart } from '../../../gateway/store/part.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'

export interface PlanReport {
  /** The vendor's status of the request. */
  status: string | null
  windows: readonly WindowReport[]
  /** Null where the vendor says nothing of it. */
  extraUsage: { status: string | null; resetsAt: number | null; reason: string | null } | null
  /** Whether the request was charged as extra usage. */
  isExtra: boolean
  /** Until when the vendor refuses requests, in epoch milliseconds; null where it does not. */
  refusedUntil: number | null
}

export interface WindowReport {
  name: string
  /** A share from 0 to 1; null where the vendor does not say. */
  utilization: number | null
  status: string | null
  /** Epoch milliseconds. */
  resetsAt: number | null
  lengthMs: number | null
}

export interface StoredPlan {
  id: string
  provider: string
  report: PlanReport
  updatedAt: number
}

export interface PlanPoint {
  window: string
  at: number
  utilization: number
}

const HISTORY_MS = 90 * 24 * 60 * 60_000

const put = statement<[string, string, string, number]>(
  'INSERT OR REPLACE INTO plans (id, provider, report, updated_at) VALUES (?, ?, ?, CAST(? AS INTEGER))',
)
const addPoint = statement<[string, number, string, number]>(
  'INSERT OR REPLACE INTO plan_history (plan, at, window, utilization) VALUES (?, CAST(? AS INTEGER), ?, ?)',
)
const dropOld = statement<[string, number]>('DELETE FROM plan_history WHERE plan = ? AND at < ?')
const all = statement<[], { id: string; provider: string; report: string; updatedAt: number }>(
  'SELECT id, provider, report, updated_at AS updatedAt FROM plans ORDER BY id',
)
const points = statement<[string, number, number], PlanPoint>(
  'SELECT window, at, utilization FROM plan_history WHERE plan = ? AND at >= ? AND at < ? ORDER BY at, window',
)

/** Replaces what is known of the plan, and adds to its history. */
function putPlan(
  db: Db,
  { id, provider, report, updatedAt }: StoredPlan,
  changed: readonly PlanPoint[],
): void {
  put(db).run(id, provider, JSON.stringify(report), updatedAt)
  for (const { window, at, utilization } of changed) addPoint(db).run(id, at, window, utilization)
  dropOld(db).run(id, updatedAt - HISTORY_MS)
}

function readPlans(db: Db): StoredPlan[] {
  return all(db)
    .all()
    .map(({ report, ...row }) => ({ ...row, report: JSON.parse(report) }))
}

/** How full the windows of a plan were in a range of time, the oldest first. */
function planHistory(db: Db, id: string, { from, to }: { from: number; to: number }): PlanPoint[] {
  return points(db).all(id, from, to)
}

/** The first versions of the app had them among the tables of the core. */
const TABLES = `
CREATE TABLE IF NOT EXISTS plans (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  -- JSON: the last report of its vendor.
  report TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS plan_history (
  plan TEXT NOT NULL,
  at INTEGER NOT NULL,
  window TEXT NOT NULL,
  utilization REAL NOT NULL,
  PRIMARY KEY (plan, at, window)
) STRICT, WITHOUT ROWID;
`

export const planRows = {
  name: 'plans',
  migrations: [TABLES],
  writes: { putPlan, readPlans },
  reads: { planHistory },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof planRows.writes> {}
  interface Reads extends Readonly<typeof planRows.reads> {}
}
