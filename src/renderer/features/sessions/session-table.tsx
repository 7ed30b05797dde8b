import { type KeyboardEvent, useRef, useState } from 'react'
import type { Session } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import type { SortOrder } from '../../data/request-listing.ts'
import type { SessionSort } from '../../data/session-list.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { chooseUsdDecimals } from '../../kit/format.ts'
import { rowAfterKey } from '../../kit/row-keys.ts'
import { SortHeader } from '../../kit/sort-header.tsx'
import { useNow } from '../../kit/use-now.ts'
import { COLUMNS, columnClasses, edgeCell, SessionRow } from './session-row.tsx'

interface SessionTableProps {
  sessions: readonly Session[]
  sort: SessionSort
  order: SortOrder
  /** The rows are those of the previous filter. */
  stale: boolean
  openId: string | null
  onSort: (sort: SessionSort, order: SortOrder) => void
  onOpen: (id: string) => void
  /** There are more than those that are listed. */
  more: boolean
  onMore: () => void
}

/** The arrow keys move between rows, Enter opens one. */
export function SessionTable({
  sessions,
  sort,
  order,
  stale,
  openId,
  onSort,
  onOpen,
  more,
  onMore,
}: SessionTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [lastFocused, setLastFocused] = useState<string | null>(null)
  const now = useNow()
  const zone = useTimeZone()
  const place = (id: string | null) => sessions.findIndex((session) => session.id === id)
  const tabStop = Math.max(0, place(lastFocused) >= 0 ? place(lastFocused) : place(openId))
  const decimals = chooseUsdDecimals(sessions.map(({ costUsd }) => costUsd))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const current = sessions[tabStop]
    if (current && (event.key === 'Enter' || event.key === ' ')) {
      onOpen(current.id)
    } else {
      const to = rowAfterKey(event.key, tabStop, sessions.length - 1, 10)
      const session = to === null ? undefined : sessions[to]
      if (to === null || session === undefined) return
      setLastFocused(session.id)
      body.current?.querySelectorAll<HTMLElement>('[data-row]')[to]?.focus()
      if (openId !== null) onOpen(session.id)
    }
    event.preventDefault()
  }

  return (
    <div className={cn('min-h-0 flex-1 overflow-auto [scrollbar-gutter:stable]', stale && 'opacity-60')}>
      <table
        aria-label="Sessions"
        aria-busy={stale}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <thead>
          <tr>
            {COLUMNS.map(({ id, name, sort: by, hint }) => {
              const className = cn(
                'sticky top-0 z-10 h-8 border-line border-b bg-canvas px-2 text-left font-medium text-ink-3 text-xs',
                columnClasses[id],
                edgeCell,
              )
              return by === undefined ? (
                <th key={id} scope="col" title={hint} className={className}>
                  {name}
                </th>
              ) : (
                <SortHeader
                  key={id}
                  column={by}
                  sort={{ column: sort, descending: order === 'desc' }}
                  onSort={({ column, descending }) => onSort(column, descending ? 'desc' : 'asc')}
                  descendingFirst
                  right={by !== 'time'}
                  hint={hint}
                  className={className}
                >
                  {name}
                </SortHeader>
              )
            })}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {sessions.map((session, index) => (
            <SessionRow
              key={session.id}
              session={session}
              now={now}
              zone={zone}
              decimals={decimals}
              open={session.id === openId}
              tabStop={index === tabStop}
              onFocus={setLastFocused}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
      {more ? (
        <div className="flex justify-center p-4">
          <Button onClick={onMore}>Show more sessions</Button>
        </div>
      ) : null}
    </div>
  )
}
