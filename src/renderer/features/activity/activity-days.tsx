import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { ActivityEntry } from '../../../shared/api/activity.ts'
import { useTimeZone } from '../../data/hooks.ts'
import type { Tone } from '../../kit/badge.tsx'
import { cn } from '../../kit/cn.ts'
import { formatDay, formatMoment, formatTime, getDay } from '../../kit/format.ts'
import { rowAfterKey } from '../../kit/row-keys.ts'
import { useNow } from '../../kit/use-now.ts'
import { describeEntry } from './describe-entry.ts'

const PAGE_ROWS = 10
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
export function ActivityDays({ entries, newIds }: ActivityDaysProps) {
  const list = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const zone = useTimeZone()
  const now = useNow()
  const tabStop = Math.max(
    0,
    entries.findIndex(({ id }) => id === focused),
  )

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const to = rowAfterKey(event.key, tabStop, entries.length - 1, PAGE_ROWS)
    if (to === null) return
    list.current?.querySelectorAll<HTMLElement>('a')[to]?.focus()
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links inside
    <div ref={list} onKeyDown={onKeyDown} className="flex flex-col gap-6">
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
