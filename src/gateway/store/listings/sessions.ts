// The listing of sessions.

import type { GitPlace } from '../../../shared/api/git.ts'
import type { SESSION_SORTS } from '../../../shared/api/sessions.ts'
import type { SORT_ORDERS } from '../../../shared/api/terms.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { listParts } from '../part.ts'
import { findSession, type NewSession } from '../rows/session-rows.ts'
import { readCursor, writeCursor } from '../sql/cursor.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../sql/statement.ts'

export interface StoredSession extends NewSession {
  tag: string | null
  title: string | null
  startedAt: number
  lastAt: number
  /** Settled ones, as everywhere in sums. */
  requests: number
  running: number
  errors: number
  refused: number
  unpriced: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  costNano: NanoUsd
  /** The worth of requests that a plan paid for: their cost by the vendor's API. */
  worthNano: NanoUsd
  /** The cost that the response cache saved. */
  savedNano: NanoUsd
  /** How many of the requests have no row any more. */
  prunedRequests: number
  /** Where it worked, in order. */
  branches: GitPlace[]
  /** The most expensive first. */
  models: SessionModel[]
}

interface SessionModel {
  model: string
  /** '' where none was reached. */
  provider: string
  requests: number
  costNano: NanoUsd
}

export type RecentSession = NewSession & Pick<StoredSession, 'lastAt'>

export interface SessionFilter {
  /** Text in the title, or in the client's id of the session. */
  q?: string
  /** Sessions with so many requests, running and refused ones included. */
  minRequests?: number
  /** A model that served. */
  model?: string
  keyId?: string
  /** The name of a program; '' for none. */
  client?: string
  /** '' for sessions without one. */
  tag?: string
  /** A repository and a branch, as groups of usage have them. */
  branch?: string
  /** Sessions that were active at or after it. */
  from?: number
  /** Sessions that began before it. */
  to?: number
}

export interface SessionListing extends SessionFilter, SessionOrder {
  limit: number
  cursor?: string
}

/** The sums of the sessions that match a filter. */
export interface SessionTotals extends SessionSum {
  /** The cost of the session in the middle; null for none. */
  medianNano: NanoUsd | null
  /** The sessions that only `minRequests` leaves out. */
  hidden: SessionSum
}

interface SessionSum {
  sessions: number
  costNano: NanoUsd
}

export interface SessionPage {
  rows: StoredSession[]
  nextCursor: string | null
}

type Row = Omit<StoredSession, 'costNano' | 'worthNano' | 'savedNano' | 'branches' | 'models'> &
  Record<'nr' | 'costNano' | 'worthNano' | 'savedNano', number>

const RUNNING = `
  SELECT count(*) FROM requests WHERE session = sessions.nr AND status <> 'succeeded' AND status = 'running'`
const countRunning = () =>
  [RUNNING, ...listParts().flatMap(({ running = [] }) => running)].map((sql) => `(${sql})`).join(' + ')
const select = () => `
  SELECT nr, id, source, client_session_id AS clientSessionId, key_id AS keyId, client AS clientName, tag,
    started_at AS startedAt, last_at AS lastAt, requests, errors, refused, unpriced, tokens_in AS tokensIn,
    tokens_out AS tokensOut, tokens_cached AS tokensCached, cost_nano AS costNano,
    worth_nano AS worthNano, saved_nano AS savedNano, pruned_requests AS prunedRequests,
    (SELECT title FROM session_titles WHERE session = nr) AS title,
    ${countRunning()} AS running
  FROM sessions`

const recent = statement<[number], RecentSession>(`
  SELECT id, source, client_session_id AS clientSessionId, key_id AS keyId, client AS clientName, last_at AS lastAt
  FROM sessions WHERE last_at >= ? ORDER BY last_at`)
const byNumber = statement<[number], Row>(() => `${select()} WHERE nr = ?`)
const selectModels = statement<[number], SessionModel>(`
  SELECT model, provider, requests, cost_nano AS costNano FROM session_models WHERE session = ?
  ORDER BY cost_nano DESC, requests DESC`)

const placesOfSession = statement<[string | null], GitPlace>(
  'SELECT repository, branch FROM git_places WHERE client_session_id = ? GROUP BY 1, 2 ORDER BY min(at)',
)
const placesOfKey = statement<[string], GitPlace>(
  `SELECT repository, branch FROM git_places WHERE key_id = ? AND client_session_id IS NULL
  GROUP BY 1, 2 ORDER BY min(at)`,
)
const ON_BRANCH = "FROM git_places WHERE repository || ' ' || branch = ?"

/** Sessions with a request since then, the oldest first. */
export function recentSessions(db: Db, since: number): RecentSession[] {
  return recent(db).all(since)
}

/** Null for an unknown one. */
export function getSession(db: Db, id: string): StoredSession | null {
  const nr = findSession(db, id)
  const row = nr === null ? undefined : byNumber(db).get(nr)
  return row ? decode(db, row) : null
}

export function getSessions(db: Db, ids: readonly string[]): StoredSession[] {
  return ids.flatMap((id) => getSession(db, id) ?? [])
}

/** One page. A session that changes may move to a page before or after it; no other moves. */
export function listSessions(db: Db, filter: SessionListing): SessionPage {
  const { sort, order, limit } = filter
  const value = SORTS[sort].sql
  const prefix = `${sort}.${order}.`
  const terms = listConditions(filter)
  if (filter.cursor !== undefined) {
    const [before = 0, nr = 0] = readCursor(filter.cursor, 2, prefix)
    const sign = order === 'desc' ? '<' : '>'
    terms.push({ sql: `(${value}, nr) ${sign} (?, ?)`, values: [before, nr] })
  }
  const { where, values } = joinConditions(terms)
  const rows = db
    .prepare<SqlValue[], Row>(`${select()} ${where} ORDER BY ${value} ${order}, nr ${order} LIMIT ?`)
    .all(...values, limit + 1)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    rows: db.transaction(() => shown.map((row) => decode(db, row)))(),
    nextCursor: last ? writeCursor([SORTS[sort].of(last), last.nr], prefix) : null,
  }
}

/** The median is the lower one of two in the middle. */
export function sessionTotals(db: Db, filter: SessionFilter): SessionTotals {
  const { minRequests, ...rest } = filter
  const shown = joinConditions(listConditions(filter))
  const { sessions, costNano } = sumSessions(db, shown)
  const every =
    minRequests === undefined ? { sessions, costNano } : sumSessions(db, joinConditions(listConditions(rest)))
  const middle = db
    .prepare<SqlValue[], { nano: number }>(
      `SELECT cost_nano AS nano FROM sessions ${shown.where} ORDER BY cost_nano LIMIT 1 OFFSET ?`,
    )
    .get(...shown.values, Math.max(0, Math.ceil(sessions / 2) - 1))
  return {
    sessions,
    costNano,
    medianNano: middle ? nanoUsd(middle.nano) : null,
    hidden: {
      sessions: every.sessions - sessions,
      costNano: nanoUsd(every.costNano - costNano),
    },
  }
}

function sumSessions(db: Db, { where, values }: ReturnType<typeof joinConditions>): SessionSum {
  const sql = `SELECT count(*) AS sessions, ifnull(sum(cost_nano), 0) AS nano FROM sessions ${where}`
  const { sessions = 0, nano = 0 } =
    db.prepare<SqlValue[], { sessions: number; nano: number }>(sql).get(...values) ?? {}
  return { sessions, costNano: nanoUsd(nano) }
}

function listConditions(filter: SessionFilter): Condition[] {
  const { q, minRequests, model, keyId, client, tag, branch, from, to } = filter
  return [
    ...filterSearch(q),
    ...condition(`requests + refused + ${countRunning()} >= ?`, minRequests),
    ...condition('nr IN (SELECT session FROM session_models WHERE model = ?)', model),
    ...condition('key_id = ?', keyId),
    ...condition('client = ?', client),
    ...condition('tag IS ?', tag === '' ? null : tag),
    ...(branch === undefined
      ? []
      : [
          {
            sql: `(client_session_id IN (SELECT client_session_id ${ON_BRANCH})
              OR key_id IN (SELECT key_id ${ON_BRANCH} AND client_session_id IS NULL))`,
            values: [branch, branch],
          },
        ]),
    ...condition('last_at >= ?', from),
    ...condition('started_at < ?', to),
  ]
}

function filterSearch(q: string | undefined): Condition[] {
  if (!q) return []
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`
  return [
    {
      sql: `(client_session_id LIKE ? ESCAPE '\\'
        OR nr IN (SELECT session FROM session_titles WHERE title LIKE ? ESCAPE '\\'))`,
      values: [pattern, pattern],
    },
  ]
}

function decode(db: Db, row: Row): StoredSession {
  const { nr, ...rest } = row
  return {
    ...rest,
    costNano: nanoUsd(row.costNano),
    worthNano: nanoUsd(row.worthNano),
    savedNano: nanoUsd(row.savedNano),
    branches: findBranches(db, row),
    models: selectModels(db).all(nr),
  }
}

function findBranches(db: Db, { clientSessionId, keyId }: Row): GitPlace[] {
  const named = placesOfSession(db).all(clientSessionId)
  return named.length > 0 ? named : placesOfKey(db).all(keyId)
}

type Sort = (typeof SESSION_SORTS)[number]

interface SessionOrder {
  sort: Sort
  order: (typeof SORT_ORDERS)[number]
}

/** The value of each sort, in SQL and in a row. */
const SORTS: Record<Sort, { sql: string; of(row: Row): number }> = {
  time: { sql: 'last_at', of: ({ lastAt }) => lastAt },
  cost: { sql: 'cost_nano', of: ({ costNano }) => costNano },
  requests: { sql: 'requests', of: ({ requests }) => requests },
  duration: { sql: '(last_at - started_at)', of: ({ lastAt, startedAt }) => lastAt - startedAt },
}
