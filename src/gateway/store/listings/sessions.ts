// The listing of sessions.

import type { GitPlace } from '../../../shared/api/git.ts'
import type { SESSION_SORTS, SessionSource } from '../../../shared/api/sessions.ts'
import type { SORT_ORDERS } from '../../../shared/api/terms.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { readCursor, writeCursor } from '../engine/cursor.ts'
import {
  type Condition,
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../engine/statement.ts'
import { coded } from '../ledger/request-codecs.ts'
import {
  decodeSessionId,
  getHour,
  getSessionNumbers,
  getTexts,
  type NewSession,
  SOURCE_CODES,
  type Texts,
} from '../ledger/session-numbers.ts'

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

interface Row
  extends Omit<
    StoredSession,
    | 'id'
    | 'source'
    | 'keyId'
    | 'clientName'
    | 'tag'
    | 'costNano'
    | 'worthNano'
    | 'savedNano'
    | 'branches'
    | 'models'
  > {
  nr: number
  id: Uint8Array
  source: number
  keyId: SqlValue
  client: SqlValue
  tag: SqlValue
  costNano: number
  worthNano: number
  savedNano: number
}

const SELECT = `
  SELECT nr, id, source, client_session_id AS clientSessionId, key_id AS keyId, client, tag,
    started_at AS startedAt, last_at AS lastAt, requests, errors, refused, unpriced, tokens_in AS tokensIn,
    tokens_out AS tokensOut, tokens_cached AS tokensCached, cost_nano AS costNano,
    worth_nano AS worthNano, saved_nano AS savedNano, pruned_requests AS prunedRequests,
    (SELECT title FROM session_titles WHERE session = nr) AS title,
    (SELECT count(*) FROM running WHERE session = nr) AS running
  FROM sessions`

const recent = statement<[number, number], Row>(
  `${SELECT} INDEXED BY sessions_by_hour WHERE last_hour >= ? AND last_at >= ? ORDER BY last_hour, last_at`,
)
const byNumber = statement<[SqlValue], Row>(`${SELECT} WHERE nr = ?`)
const selectModels = statement<
  [number],
  { model: SqlValue; provider: SqlValue; requests: number; nano: number }
>(`
  SELECT model, provider, requests, cost_nano AS nano FROM session_models WHERE session = ?
  ORDER BY cost_nano DESC, requests DESC`)

const placesOfSession = statement<[string | null], GitPlace>(
  'SELECT repository, branch FROM git_places WHERE client_session_id = ? GROUP BY 1, 2 ORDER BY min(at)',
)
const placesOfKey = statement<[SqlValue], GitPlace>(
  `SELECT repository, branch FROM git_places WHERE key_id = ? AND client_session_id IS NULL
  GROUP BY 1, 2 ORDER BY min(at)`,
)
const ON_BRANCH = "FROM git_places WHERE repository || ' ' || branch = ?"

/** Sessions with a request since then, the oldest first. */
export function recentSessions(db: Db, since: number): RecentSession[] {
  return recent(db)
    .all(getHour(since), since)
    .map((row) => ({ ...getNames(row, getTexts(db)), lastAt: row.lastAt }))
}

/** Null for an unknown one. */
export function getSession(db: Db, id: string): StoredSession | null {
  const nr = getSessionNumbers(db).find(id)
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
  const terms = listConditions(filter, getTexts(db))
  // If the hour comes first, rows come from the index in their order, and a page reads little more than its own.
  const byHour = sort === 'time' ? `last_hour ${order}, ` : ''
  if (filter.cursor !== undefined) {
    const [before = 0, nr = 0] = readCursor(filter.cursor, 2, prefix)
    const sign = order === 'desc' ? '<' : '>'
    terms.push({ sql: `(${value}, nr) ${sign} (?, ?)`, values: [before, nr] })
    if (sort === 'time') terms.push(...condition(`last_hour ${sign}= ?`, getHour(before)))
  }
  const { where, values } = joinConditions(terms)
  const rows = db
    .prepare<SqlValue[], Row>(`${SELECT} ${where} ORDER BY ${byHour}${value} ${order}, nr ${order} LIMIT ?`)
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
  const texts = getTexts(db)
  const shown = joinConditions(listConditions(filter, texts))
  const { sessions, costNano } = sumSessions(db, shown)
  const every =
    minRequests === undefined
      ? { sessions, costNano }
      : sumSessions(db, joinConditions(listConditions(rest, texts)))
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

function listConditions(filter: SessionFilter, texts: Texts): Condition[] {
  const { q, minRequests, model, keyId, client, tag, branch, from, to } = filter
  const find = (text: string | undefined) => (text === undefined ? undefined : texts.find(text))
  return [
    ...filterSearch(q),
    ...condition('requests + refused + (SELECT count(*) FROM running WHERE session = nr) >= ?', minRequests),
    ...condition('nr IN (SELECT session FROM session_models WHERE model = ?)', find(model)),
    ...condition('key_id = ?', find(keyId)),
    ...condition('client = ?', find(client)),
    ...condition('tag IS ?', tag === '' ? null : find(tag)),
    ...(branch === undefined
      ? []
      : [
          {
            sql: `(client_session_id IN (SELECT client_session_id ${ON_BRANCH})
              OR key_id IN (SELECT key_id ${ON_BRANCH} AND client_session_id IS NULL))`,
            values: [branch, branch],
          },
        ]),
    ...(from === undefined ? [] : condition('last_hour >= ?', getHour(from))),
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
  const texts = getTexts(db)
  const { nr, client: _client, ...rest } = row
  return {
    ...rest,
    ...getNames(row, texts),
    tag: texts.getOptional(row.tag),
    costNano: nanoUsd(row.costNano),
    worthNano: nanoUsd(row.worthNano),
    savedNano: nanoUsd(row.savedNano),
    branches: findBranches(db, row),
    models: selectModels(db)
      .all(nr)
      .map(({ model, provider, requests, nano }) => ({
        model: texts.getText(model),
        provider: texts.getText(provider),
        requests,
        costNano: nanoUsd(nano),
      })),
  }
}

function findBranches(db: Db, { clientSessionId, keyId }: Row): GitPlace[] {
  const named = placesOfSession(db).all(clientSessionId)
  return named.length > 0 ? named : placesOfKey(db).all(typeof keyId === 'number' ? BigInt(keyId) : keyId)
}

function getNames({ id, source, clientSessionId, keyId, client }: Row, texts: Texts): NewSession {
  return {
    id: decodeSessionId(id),
    source: decodeSource(source),
    clientSessionId,
    keyId: texts.getText(keyId),
    clientName: texts.getText(client),
  }
}

const { decode: decodeSource } = coded<SessionSource>(SOURCE_CODES)

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
