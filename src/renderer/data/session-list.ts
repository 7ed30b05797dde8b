// The sessions that match a filter. Live events change the rows that are listed; a moment later the list is read again, as their
// order changes too.

import type { LiveEvent } from '../../shared/api/events.ts'
import type { SESSION_SORTS, Session, SessionStep, SessionTotals } from '../../shared/api/sessions.ts'
import { api } from './api.ts'
import { type DateRange, resolveRange } from './date-range.ts'
import { liveQuery, useRereadQuery } from './live-queries.ts'
import { readTimeZone } from './queries.ts'
import { type Query, volatileQuery } from './query-client.ts'
import type { SortOrder } from './request-filter.ts'

export type SessionSort = (typeof SESSION_SORTS)[number]

/** The filters of sessions, under the names of the address and of the API. */
export const SESSION_FIELDS = ['key', 'model', 'client', 'tag', 'branch'] as const
type SessionFields = Record<(typeof SESSION_FIELDS)[number], string | null>

export const noSessionFields: SessionFields = {
  key: null,
  model: null,
  client: null,
  tag: null,
  branch: null,
}

export interface SessionFilter extends SessionFields {
  range: DateRange
  /** Text in the title or the client's id. */
  text: string | null
  /** Whether sessions of a single request are listed, too. */
  singles: boolean
}

export const noSessionFilter = { ...noSessionFields, text: null }

export interface SessionListing {
  filter: SessionFilter
  sort: SessionSort
  order: SortOrder
  /** How many are read at most. */
  count: number
}

interface SessionPage {
  sessions: Session[]
  more: boolean
}

const PAGE = 500
/** Each is read again whenever a view shows it. */
const volatile = { staleTime: 0, retryOnMount: true, gcTime: 0 } as const
/** Until the list is read again, the view shows the rows that it has left. */
const KEPT_MS = 5 * 60_000

function sessionList(listing: SessionListing): Query<SessionPage> {
  return {
    ...liveQuery<SessionPage>({
      queryKey: ['sessions', listing],
      read: () => readSessions(listing),
      apply(page, events) {
        const changed = changedSessions(events)
        if (!page.sessions.some(({ id }) => changed.has(id))) return page
        return { ...page, sessions: page.sessions.map((session) => changed.get(session.id) ?? session) }
      },
    }),
    ...volatile,
    gcTime: KEPT_MS,
  }
}

export async function readSessions({ filter, sort, order, count }: SessionListing): Promise<SessionPage> {
  const query = await toQuery(filter)
  const sessions: Session[] = []
  let cursor: string | null = null
  do {
    const page: { data: Session[]; nextCursor: string | null } = await api('listSessions', {
      query: {
        ...query,
        limit: Math.min(PAGE, count - sessions.length),
        ...(sort === 'time' ? {} : { sort }),
        ...(order === 'desc' ? {} : { order }),
        ...(cursor === null ? {} : { cursor }),
      },
    })
    sessions.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null && sessions.length < count)
  return { sessions, more: cursor !== null }
}

async function toQuery({ range, singles, text, ...ids }: SessionFilter) {
  const { start, end } = resolveRange(range, Date.now(), await readTimeZone())
  const chosen = Object.entries({ ...ids, q: text }).filter(([, value]) => value !== null)
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    ...Object.fromEntries(chosen),
    ...(singles ? {} : { minRequests: 2 }),
  }
}

function sessionTotals(filter: SessionFilter): Query<SessionTotals> {
  return {
    ...volatileQuery(['session-totals', filter], async () =>
      api('getSessionTotals', { query: await toQuery(filter) }),
    ),
    gcTime: KEPT_MS,
  }
}

/** The sums of all sessions that match, also of those that are not listed yet. Undefined until they have been read. */
export function useSessionTotals(filter: SessionFilter): SessionTotals | undefined {
  return useRereadQuery(sessionTotals(filter), 'session').data
}

/** The previous rows stay until those of another filter have been read. */
export const useSessionList = (listing: SessionListing) => useRereadQuery(sessionList(listing), 'session')

export function sessionQuery(id: string): Query<Session> {
  return {
    ...liveQuery<Session>({
      queryKey: ['session', id],
      read: () => api('getSession', { params: { id } }),
      apply: (session, events) => changedSessions(events).get(id) ?? session,
    }),
    ...volatile,
  }
}

/** What the steps of a session did, by the ids of their requests. Empty unless answers are stored. */
export function sessionSteps(id: string): Query<ReadonlyMap<string, SessionStep>> {
  return volatileQuery(['session-steps', id], async () => {
    const { data } = await api('listSessionSteps', { params: { id } })
    return new Map(data.map((step) => [step.requestId, step]))
  })
}

export function changedSessions(events: readonly LiveEvent[]): ReadonlyMap<string, Session> {
  return new Map(
    events.flatMap((event) => (event.type === 'session' ? [[event.session.id, event.session]] : [])),
  )
}
