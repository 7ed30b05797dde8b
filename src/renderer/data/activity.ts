// The activity history. Live events say only that it has changed, so that it is read again.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ActivityEntry, ActivityKind, ActivityList } from '../../shared/api/activity.ts'
import { api } from './api.ts'
import { type Query, query, refresh, refreshShown, replace, volatileQuery } from './query-client.ts'

const PAGE = 500

/** How many entries are unread, of any kind. */
export const unreadActivity: Query<number> = query(
  ['unread-activity'],
  async () => (await api('listActivity', { query: { limit: 1 } })).unread,
)

export interface ActivityListing {
  /** Null for all. */
  kind: ActivityKind | null
  /** How many are read at most. */
  count: number
}

interface ActivityPage {
  /** The newest first. */
  entries: ActivityEntry[]
  more: boolean
}

/** The previous entries stay until those of another listing have been read. */
export function useActivity(listing: ActivityListing) {
  return useQuery({
    ...volatileQuery<ActivityPage>(['activity', listing], () => readActivity(listing)),
    placeholderData: keepPreviousData,
  })
}

async function readActivity({ kind, count }: ActivityListing): Promise<ActivityPage> {
  const entries: ActivityEntry[] = []
  let cursor: string | null = null
  do {
    const page: ActivityList = await api('listActivity', {
      query: {
        limit: Math.min(PAGE, count - entries.length),
        ...(kind === null ? {} : { kind }),
        ...(cursor === null ? {} : { cursor }),
      },
    })
    entries.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null && entries.length < count)
  return { entries, more: cursor !== null }
}

/** Marks everything up to an entry as seen. */
export async function markActivitySeen(until: string): Promise<void> {
  const { unread } = await api('markActivitySeen', { body: { until } })
  await replace(unreadActivity, unread)
}

export async function refreshActivity(): Promise<void> {
  await refresh(unreadActivity)
  await refreshShown(['activity'])
}
