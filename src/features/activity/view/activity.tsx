import { Bell } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { markActivitySeen, useActivity } from '../../../renderer/data/activity.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import type { Tone } from '../../../renderer/kit/badge.tsx'
import { Button } from '../../../renderer/kit/button.tsx'
import { cn } from '../../../renderer/kit/cn.ts'
import { formatDay, formatMoment, formatTime, getDay } from '../../../renderer/kit/format.ts'
import { EmptyState, QueryState } from '../../../renderer/kit/notice.tsx'
import { Page } from '../../../renderer/kit/page.tsx'
import { moveFocus } from '../../../renderer/kit/row-focus.ts'
import { type Option, Select } from '../../../renderer/kit/select.tsx'
import { useNow } from '../../../renderer/kit/use-now.ts'
import type { ActivityEntry, ActivityKind } from '../../../shared/api/activity.ts'
import { describeEntry, KIND_NAMES } from './describe-entry.ts'

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
  const activity = useActivity({ kind, count })
  const { data, isPlaceholderData } = activity
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
      <QueryState query={activity} rows={8} />
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

const DAY_MS = 86_400_000

const iconTones: Readonly<Record<Tone, string>> = {
  plain: 'text-ink-3',
  accent: 'text-accent-ink',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
}

interface ActivityDaysProps {
  /** The newest first. */
  entries: readonly ActivityEntry[]
  newIds: ReadonlySet<string>
}

/** Entries under the day on which they happened. The arrow keys move between them, Enter opens the subject of one. */
function ActivityDays({ entries, newIds }: ActivityDaysProps) {
  const [focused, setFocused] = useState<string | null>(null)
  const zone = useTimeZone()
  const now = useNow()
  const tabStop = Math.max(
    0,
    entries.findIndex(({ id }) => id === focused),
  )

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links inside
    <div onKeyDown={(event) => moveFocus(event, 'a')} className="flex flex-col gap-6">
      {groupByDay(entries, zone).map(({ day, entries: ofDay }) => (
        <section key={`${day} ${ofDay[0]?.id}`} aria-label={nameDay(ofDay[0]?.at ?? '', now, zone)}>
          <h2 className="mb-2 font-medium text-ink-3 text-sm">{nameDay(ofDay[0]?.at ?? '', now, zone)}</h2>
          <ul className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
            {ofDay.map((entry) => (
              <li key={entry.id} className="border-line border-t first:border-t-0">
                <Row
                  entry={entry}
                  zone={zone}
                  isNew={newIds.has(entry.id)}
                  tabStop={entry.id === entries[tabStop]?.id}
                  onFocus={() => setFocused(entry.id)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

interface RowProps {
  entry: ActivityEntry
  zone: string | undefined
  isNew: boolean
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
  onFocus: () => void
}

function Row({ entry, zone, isNew, tabStop, onFocus }: RowProps) {
  const { icon: Icon, tone, text, detail, href } = describeEntry(entry, zone)
  return (
    <Link
      href={href}
      tabIndex={tabStop ? 0 : -1}
      onFocus={onFocus}
      className="flex items-start gap-3 px-4 py-2.5 -outline-offset-2 hover:bg-sunken"
    >
      <Icon size={15} aria-hidden className={cn('mt-0.5 shrink-0', iconTones[tone])} />
      <span className="min-w-0 flex-1 break-words">
        <span className={isNew ? 'font-semibold' : 'font-medium'}>{text}</span>
        {detail === null ? null : <span className="block text-ink-2 text-sm">{detail}</span>}
      </span>
      {isNew ? <span className="shrink-0 font-medium text-accent-ink text-xs leading-5">New</span> : null}
      <time
        dateTime={entry.at}
        title={formatMoment(entry.at, zone)}
        className="shrink-0 text-ink-3 text-sm tabular-nums"
      >
        {formatTime(entry.at, zone)}
      </time>
    </Link>
  )
}

/** Neighbors of the same day; a clock that was set back begins another group. */
function groupByDay(entries: readonly ActivityEntry[], zone: string | undefined) {
  const groups: { day: string; entries: ActivityEntry[] }[] = []
  for (const entry of entries) {
    const day = getDay(Date.parse(entry.at), zone)
    const last = groups.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else groups.push({ day, entries: [entry] })
  }
  return groups
}

function nameDay(at: string, now: number, zone: string | undefined): string {
  const day = getDay(Date.parse(at), zone)
  if (day === getDay(now, zone)) return 'Today'
  return day === getDay(now - DAY_MS, zone) ? 'Yesterday' : formatDay(at, now, zone)
}
