import { Bell } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ActivityEntry, ActivityKind } from '../../../shared/api/activity.ts'
import { markActivitySeen, useActivity } from '../../data/activity.ts'
import { Button } from '../../kit/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { type Option, Select } from '../../kit/select.tsx'
import { ActivityDays } from './activity-days.tsx'
import { KIND_NAMES } from './describe-entry.ts'

const FIRST = 100
const MORE = 200

const KINDS = Object.keys(KIND_NAMES) as ActivityKind[]
const options: readonly Option<ActivityKind | 'all'>[] = [
  { value: 'all', label: 'Everything' },
  ...KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] })),
]

/** The activity history, by day. */
export function ActivityView() {
  const [kind, setKind] = useState<ActivityKind | null>(null)
  const [count, setCount] = useState(FIRST)
  const { data, error, isPending, isLoadingError, isPlaceholderData, refetch } = useActivity({ kind, count })
  const entries = data?.entries
  const newIds = useNewIds(entries ?? [])
  useMarkSeen(kind === null && !isPlaceholderData ? (entries ?? []) : [])
  const choose = (value: ActivityKind | 'all') => {
    setCount(FIRST)
    setKind(value === 'all' ? null : value)
  }
  return (
    <Page
      title="Activity"
      subtitle="Limits, pauses, prices, providers, backups and sign-ins of the last 90 days."
      width="narrow"
      actions={<Select small label="Show" value={kind ?? 'all'} options={options} onChange={choose} />}
    >
      {isPending ? <SkeletonRows rows={8} /> : null}
      {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {entries && entries.length > 0 ? <ActivityDays entries={entries} newIds={newIds} /> : null}
      {data?.more ? (
        <div className="flex justify-center pt-4">
          <Button onClick={() => setCount((now) => now + MORE)}>Show more</Button>
        </div>
      ) : null}
      {entries?.length === 0 && !isPlaceholderData ? (
        <EmptyState icon={Bell} title={kind === null ? 'Nothing has happened yet' : 'Nothing of this kind'}>
          Caps and limits that are reached or changed, pauses, price updates, failing providers, restored
          backups and sign-ins appear here.
        </EmptyState>
      ) : null}
    </Page>
  )
}

/** The entries that were unread since the view is shown: they stay marked, although they are seen now. */
function useNewIds(entries: readonly ActivityEntry[]): ReadonlySet<string> {
  const ids = useRef(new Set<string>())
  for (const { id, unread } of entries) if (unread) ids.current.add(id)
  return ids.current
}

/** Marks the entries as seen, once the window is visible. A mark that fails is made with the next entry. */
function useMarkSeen(entries: readonly ActivityEntry[]): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')
  const until = entries.some(({ unread }) => unread) ? entries[0]?.id : undefined
  useEffect(() => {
    if (isVisible && until !== undefined) void markActivitySeen(until).catch(() => undefined)
  }, [isVisible, until])
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
