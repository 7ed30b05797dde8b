// Sums of imported calls.
import type { StorePart } from '../../../gateway/store/part.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import type { Measures } from '../../../gateway/store/sums/rollup-columns.ts'
import {
  readSums,
  type Sum,
  type SumOptions,
  type UsageSplit,
} from '../../../gateway/store/sums/rollup-query.ts'
import type { HistoryTool } from '../../../shared/api/history-tools.ts'
import { findUnimported, importCalls, importEvents, removeImported } from './imported-rows.ts'
import { createImportedTables } from './imported-schema-rows.ts'

/** The record of a request may come after its import, as with a backup that is restored. */
const IS_COUNTED = `not_counted IS NULL
  AND (request_id IS NULL OR NOT EXISTS (SELECT 1 FROM requests WHERE id = imported_calls.request_id))`

const TOKENS_IN = 'input + cache_read + cache_write5m + cache_write1h'
/** The SQL of the dimensions that the logs of agents have. The tool is the client, and the folder of its work the tag. */
const DIMENSIONS: Partial<Record<UsageSplit, string>> = {
  model: 'model',
  provider: "ifnull(provider, '')",
  client: 'tool',
  tag: "ifnull(project, '')",
  session: 'session',
}
const SUMS: Record<keyof Measures, string> = {
  requests: 'sum(calls)',
  tokensIn: `sum(${TOKENS_IN})`,
  tokensOut: 'sum(output)',
  tokensCached: 'sum(cache_read)',
  costNano: 'ifnull(sum(cost_nano), 0)',
  worthNano: '0',
  savedNano: '0',
  errors: '0',
  unpriced: 'sum(iif(cost_nano IS NULL, calls, 0))',
}

/** Sums as `sumRange` does. No imported call has a key, a place of Git, or a duration. */
function sumImported(
  db: Db,
  { group, split, where = {}, within }: SumOptions,
  from: number,
  to: number,
): Sum[] {
  const values = Object.entries(where) as [UsageSplit, string][]
  if (within || values.some(([name]) => DIMENSIONS[name] === undefined)) return []
  const by = Object.fromEntries(
    Object.entries({ group, split }).flatMap(([name, dimension]) =>
      dimension === null ? [] : [[name, DIMENSIONS[dimension] ?? "''"]],
    ),
  )
  return readSums<Omit<Sum, 'group' | 'split'> & Partial<Sum>>(db, {
    source: 'imported_calls',
    time: 'created_at',
    from,
    to,
    by,
    sums: SUMS,
    where: [
      { sql: IS_COUNTED, values: [] },
      ...values.map(([name, value]) => ({ sql: `${DIMENSIONS[name]} = ?`, values: [value] })),
    ],
  }).map((sum) => ({ group: '', split: '', ...sum }))
}

const next = statement<[number], { at: number | null }>(
  'SELECT min(created_at) AS at FROM imported_calls WHERE created_at >= CAST(? AS INTEGER)',
)

/** When the first call since `from` was made; null for none. */
function nextImported(db: Db, from: number): number | null {
  return next(db).get(from)?.at ?? null
}

export interface ImportedTool {
  tool: HistoryTool
  /** Without those that do not count. */
  calls: number
  tokensIn: number
  tokensOut: number
  costNano: number
  unpriced: number
  /** Null for none that counts. */
  firstAt: number | null
  lastAt: number | null
  metered: number
  repeated: number
  uncertain: number
}

/** Each condition is evaluated once for a row. */
const tools = statement<[], ImportedTool>(`
  WITH logged AS MATERIALIZED (
    SELECT tool, created_at, calls, ${TOKENS_IN} AS tokens_in, output, cost_nano, not_counted, ${IS_COUNTED} AS is_counted
    FROM imported_calls)
  SELECT tool, ifnull(sum(calls) FILTER (WHERE is_counted), 0) AS calls, ifnull(sum(tokens_in) FILTER (WHERE is_counted), 0) AS tokensIn,
    ifnull(sum(output) FILTER (WHERE is_counted), 0) AS tokensOut, ifnull(sum(cost_nano) FILTER (WHERE is_counted), 0) AS costNano,
    ifnull(sum(calls) FILTER (WHERE is_counted AND cost_nano IS NULL), 0) AS unpriced,
    min(created_at) FILTER (WHERE is_counted) AS firstAt, max(created_at) FILTER (WHERE is_counted) AS lastAt,
    ifnull(sum(calls) FILTER (WHERE not_counted = 'repeated'), 0) AS repeated,
    ifnull(sum(calls) FILTER (WHERE not_counted = 'uncertain'), 0) AS uncertain,
    ifnull(sum(calls) FILTER (WHERE NOT is_counted AND ifnull(not_counted, 'metered') = 'metered'), 0) AS metered
  FROM logged GROUP BY tool ORDER BY tool`)

function listImportedTools(db: Db): ImportedTool[] {
  return tools(db).all()
}

export interface ImportedSession {
  tool: HistoryTool
  id: string
  project: string | null
  branch: string | null
  /** Separated by commas. */
  models: string
  firstAt: number
  lastAt: number
  calls: number
  tokensIn: number
  tokensOut: number
  costNano: number
  unpriced: number
}

export interface ImportedAgent extends Pick<ImportedSession, 'tool' | 'calls' | 'costNano'> {
  session: string
  id: string
}

interface SessionPage {
  from: number
  to: number
  /** Null for all. */
  session: string | null
  limit: number
  offset: number
}

const sessions = statement<SessionPage, ImportedSession>(`
  SELECT tool, session AS id, max(project) AS project, max(branch) AS branch, group_concat(DISTINCT model) AS models,
    min(created_at) AS firstAt, max(created_at) AS lastAt, sum(calls) AS calls, sum(${TOKENS_IN}) AS tokensIn,
    sum(output) AS tokensOut, ifnull(sum(cost_nano), 0) AS costNano, sum(iif(cost_nano IS NULL, calls, 0)) AS unpriced
  FROM imported_calls
  WHERE created_at >= CAST(@from AS INTEGER) AND created_at < CAST(@to AS INTEGER) AND ${IS_COUNTED}
    AND (@session IS NULL OR session = @session)
  GROUP BY tool, session ORDER BY lastAt DESC, session LIMIT @limit OFFSET @offset`)
const agents = statement<[string], ImportedAgent>(`
  SELECT tool, session, agent AS id, sum(calls) AS calls, ifnull(sum(cost_nano), 0) AS costNano
  FROM imported_calls
  WHERE (tool, session) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)) AND agent IS NOT NULL AND ${IS_COUNTED}
  GROUP BY tool, session, agent ORDER BY min(created_at)`)

/** Sessions with calls in the range, the last one first, and the sub-agents of each. */
function listImportedSessions(
  db: Db,
  page: SessionPage,
): { sessions: ImportedSession[]; agents: ImportedAgent[] } {
  const rows = sessions(db).all(page)
  return { sessions: rows, agents: agents(db).all(JSON.stringify(rows.map(({ tool, id }) => [tool, id]))) }
}

export const importedRows = {
  name: 'history',
  migrations: [createImportedTables],
  writes: { importCalls, importEvents, removeImported },
  reads: { findUnimported, listImportedTools, listImportedSessions },
  usage: { history: { next: nextImported, sum: sumImported } },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof importedRows.writes> {}
  interface Reads extends Readonly<typeof importedRows.reads> {}
}
