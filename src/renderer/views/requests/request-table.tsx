// Owns the list of requests: only the rows in sight exist, older pages load as they are neared, arrow keys walk through.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { RequestRecord } from '../../../shared/requests.ts'
import { cn } from '../../components/cn.ts'
import { useNow } from '../../components/relative-time.tsx'
import { dayOf } from '../../format.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import type { RequestLog } from '../../server-state/request-log.ts'
import { indexOfRequest } from '../../server-state/request-order.ts'
import { OlderRequests } from './older-requests.tsx'
import { TableHead } from './request-columns.tsx'
import { RequestRow } from './request-row.tsx'
import { destination } from './row-keys.ts'
import { ROW_PX, useRowsInSight } from './use-visible-rows.ts'

/** Rows from the end at which the next page is asked for. */
const AHEAD = 150

interface RequestTableProps {
  log: RequestLog
  /** The rows are those of the filter before. */
  stale: boolean
  opened: RequestRecord | null
  openId: string | null
  onOpen: (id: string) => void
  onHold: (on: boolean) => void
  onMore: () => void
}

export function RequestTable({ log, stale, opened, openId, onOpen, onHold, onMore }: RequestTableProps) {
  const { records, holding, nextCursor, olderError } = log
  const blocked = stale || olderError !== null
  const scroller = useRef<HTMLDivElement>(null)
  const { first, end, fitting, onScroll, reveal } = useRowsInSight(scroller)
  const { now, timeZone } = useToday()

  useEffect(() => {
    if (nextCursor !== null && !blocked && end >= records.length - AHEAD) onMore()
  }, [end, records.length, nextCursor, blocked, onMore])
  useEffect(() => {
    if (!holding) scroller.current?.scrollTo({ top: 0 })
  }, [holding])

  const [walked, setWalked] = useState<RequestRecord | null>(null)
  const walkedAt = walked ? indexOfRequest(records, walked) : -1
  const openAt = openId !== null && opened ? indexOfRequest(records, opened) : -1
  const tabStop = Math.max(0, walkedAt >= 0 ? walkedAt : openAt)
  const shown = Array.from(
    { length: Math.max(0, Math.min(end, records.length) - first) },
    (_, n) => first + n,
  )
  // It keeps the focus, also when it is scrolled out of sight.
  if (tabStop < first || tabStop >= end) shown.push(tabStop)

  const walkTo = (index: number) => {
    const record = records[index]
    if (!record) return
    flushSync(() => setWalked(record))
    reveal(index)
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
    if (openId) onOpen(record.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const last = records.length - 1
    const focused = rowOf(event.target)
    const from = focused ?? tabStop
    if (focused !== null && (event.key === 'Enter' || event.key === ' ')) {
      const record = records[focused]
      if (record) onOpen(record.id)
    } else {
      const to = destination(event.key, from, last, fitting)
      if (to === null) return
      walkTo(to)
    }
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtualised grid cannot be a table element
    <div
      role="table"
      aria-label="Requests"
      aria-busy={stale}
      aria-rowcount={nextCursor === null ? records.length + 1 : -1}
      className={cn('@container flex min-h-0 flex-1 flex-col', stale && 'opacity-60')}
    >
      <TableHead />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between its rows */}
      <div
        ref={scroller}
        // Opaque itself, it is a layer that the browser scrolls without painting it anew.
        className="min-h-0 flex-1 overflow-y-auto bg-surface [scrollbar-gutter:stable]"
        onScroll={({ currentTarget }) => {
          // Read first: after the rows have moved, it would have to be laid out anew to be known.
          const down = currentTarget.scrollTop > ROW_PX
          onScroll()
          onHold(down)
        }}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => setWalked(records[rowOf(target) ?? -1] ?? null)}
        onClick={({ target }) => {
          const record = records[rowOf(target) ?? -1]
          if (record) onOpen(record.id)
        }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
        <div role="rowgroup" className="relative" style={{ height: records.length * ROW_PX }}>
          {shown.map((index) => {
            const record = records[index]
            return record ? (
              <RequestRow
                key={record.id}
                record={record}
                index={index}
                now={now}
                timeZone={timeZone}
                open={record.id === openId}
                tabStop={index === tabStop}
              />
            ) : null
          })}
        </div>
        {nextCursor === null ? null : <OlderRequests error={olderError} onRetry={onMore} />}
      </div>
    </div>
  )
}

/** A moment of today that stays the same until tomorrow, so that rows need not be made anew each time the clock ticks. */
function useToday() {
  const timeZone = useTimeZone()
  const clock = useNow()
  const day = dayOf(clock, timeZone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: any moment of the day will do
  const now = useMemo(() => clock, [day])
  return { now, timeZone }
}

/** The row that an event happened in, by its place in the list. */
function rowOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row ? Number(row.dataset.index) : null
}
