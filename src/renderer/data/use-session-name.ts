import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Session } from '../../shared/api/sessions.ts'
import { useNow } from '../kit/use-now.ts'
import type { DateRange } from './date-range.ts'
import { useTimeZone } from './hooks.ts'
import { liveQuery } from './live-queries.ts'
import type { Query } from './query-client.ts'
import type { UsageFilter } from './request-link.ts'
import { changedSessions, noSessionFilter, readSessions, sessionQuery } from './session-list.ts'
import { nameSession } from './session-name.ts'
import { KEPT_MS } from './usage.ts'

/** The name of a session; undefined until it has been read, or without one. */
export function useSessionName(id: string | null | undefined): string | undefined {
  const { data } = useQuery({ ...sessionQuery(id ?? ''), enabled: Boolean(id) })
  const now = useNow()
  const zone = useTimeZone()
  return data && nameSession(data, { now, zone })
}

/** The size of the API's largest page. */
const MAX = 500

interface SessionsIn {
  range: DateRange
  filter: UsageFilter
  enabled: boolean
}

/** The names of the sessions in a range, at least of the most expensive ones; undefined for one that has not been read. */
export function useSessionNames({ range, filter, enabled }: SessionsIn): (id: string) => string | undefined {
  const { data } = useQuery({ ...sessionsIn(range, filter), enabled })
  const now = useNow()
  const zone = useTimeZone()
  return useCallback(
    (id) => {
      const session = data?.get(id)
      return session && nameSession(session, { now, zone })
    },
    [data, now, zone],
  )
}

function sessionsIn(range: DateRange, filter: UsageFilter): Query<ReadonlyMap<string, Session>> {
  const { key = null, client = null, tag = null, branch = null } = filter
  const sessions = liveQuery<ReadonlyMap<string, Session>>({
    queryKey: ['sessions-by-id', range, key, client, tag, branch],
    async read() {
      const listed = { ...noSessionFilter, range, key, client, tag, branch, singles: true }
      const page = await readSessions({ filter: listed, sort: 'cost', order: 'desc', count: MAX })
      return new Map(page.sessions.map((session) => [session.id, session]))
    },
    apply(known, events) {
      const changed = changedSessions(events)
      return changed.size === 0 ? known : new Map([...known, ...changed])
    },
  })
  return { ...sessions, gcTime: KEPT_MS }
}
