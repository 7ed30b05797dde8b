import { ContextMenu } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { findRow, type RequestLog } from '../../data/log-rows.ts'
import type { RequestListing } from '../../data/request-listing.ts'
import { addProgress, useRunning } from '../../data/running.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { copyText } from '../../kit/copy.tsx'
import { getDay } from '../../kit/format.ts'
import { rowAfterKey } from '../../kit/row-keys.ts'
import { useNow } from '../../kit/use-now.ts'
import type { ColumnLayout } from './column-layout.ts'
import type { CellContext } from './log-columns.tsx'
import { RequestRow } from './request-row.tsx'
import { TableHead } from './table-head.tsx'
import { ROW_PX, useVisibleRows } from './use-visible-rows.ts'

/** How many rows before the end the next page is requested. */
const AHEAD = 150

interface RequestTableProps {
  log: RequestLog
  layout: ColumnLayout
  listing: RequestListing
  onList: (listing: RequestListing) => void
  /** The rows are those of the previous filter. */
  stale: boolean
  opened: RequestRecord | null
  openId: string | null
  onOpen: (id: string) => void
  onHold: (on: boolean) => void
  onMore: () => void
}

export function RequestTable({
  log,
  layout,
  listing,
  onList,
  stale,
  opened,
  openId,
  onOpen,
  onHold,
  onMore,
}: RequestTableProps) {
  const { records, holding, nextCursor, olderError } = log
  const blocked = stale || olderError !== null
  const scroller = useRef<HTMLDivElement>(null)
  const { first, end, pageRows, onScroll, reveal } = useVisibleRows(scroller)
  const context = useCellContext()
  const running = useRunning()

  useEffect(() => {
    if (nextCursor !== null && !blocked && end >= records.length - AHEAD) onMore()
  }, [end, records.length, nextCursor, blocked, onMore])
  useEffect(() => {
    if (!holding) scroller.current?.scrollTo({ top: 0 })
  }, [holding])

  const [lastFocused, setLastFocused] = useState<RequestRecord | null>(null)
  const lastFocusedIndex = lastFocused ? findRow(log, lastFocused) : -1
  const openIndex = openId !== null && opened ? findRow(log, opened) : -1
  const tabStop = Math.max(0, lastFocusedIndex >= 0 ? lastFocusedIndex : openIndex)
  const shown = Array.from(
    { length: Math.max(0, Math.min(end, records.length) - first) },
    (_, n) => first + n,
  )
  // Rendered also outside of the viewport, as it may have the focus.
  if (tabStop < first || tabStop >= end) shown.push(tabStop)

  const moveTo = (index: number) => {
    const record = records[index]
    if (!record) return
    flushSync(() => setLastFocused(record))
    reveal(index)
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
    if (openId) onOpen(record.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const last = records.length - 1
    const focused = findRowAt(event.target)
    const from = focused ?? tabStop
    if (focused !== null && (event.key === 'Enter' || event.key === ' ')) {
      const record = records[focused]
      if (record) onOpen(record.id)
    } else {
      const to = rowAfterKey(event.key, from, last, pageRows)
      if (to === null) return
      moveTo(to)
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
      className={cn('flex min-h-0 flex-1 flex-col', stale && 'opacity-60')}
    >
      <TableHead layout={layout} listing={listing} onList={onList} />
      <RowMenu findRecord={(element) => records[findRowAt(element) ?? -1] ?? null} onOpen={onOpen}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between its rows */}
        <div
          ref={scroller}
          // An opaque layer is scrolled without repainting.
          className="min-h-0 flex-1 overflow-y-auto bg-surface [scrollbar-gutter:stable]"
          onScroll={({ currentTarget }) => {
            // Read before the rows move: reading it afterwards would force a layout.
            const down = currentTarget.scrollTop > ROW_PX
            onScroll()
            onHold(down)
          }}
          onKeyDown={onKeyDown}
          onFocus={({ target }) => setLastFocused(records[findRowAt(target) ?? -1] ?? null)}
          onClick={({ target }) => {
            const record = records[findRowAt(target) ?? -1]
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
                  record={addProgress(record, running)}
                  index={index}
                  context={context}
                  layout={layout}
                  open={record.id === openId}
                  tabStop={index === tabStop}
                />
              ) : null
            })}
          </div>
          {nextCursor === null ? null : <OlderRequests error={olderError} onRetry={onMore} />}
        </div>
      </RowMenu>
    </div>
  )
}

/** The index of the row that an event happened in. */
function findRowAt(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row ? Number(row.dataset.index) : null
}

/** Its time stays the same until tomorrow, so that rows do not render whenever the clock ticks. */
function useCellContext(): CellContext {
  const timeZone = useTimeZone()
  const clock = useNow()
  const day = getDay(clock, timeZone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: any time of the day will do
  const now = useMemo(() => clock, [day])
  const providerNames = useProviderNames()
  return useMemo(() => ({ now, timeZone, providerNames }), [now, timeZone, providerNames])
}

interface OlderRequestsProps {
  error: ApiError | null
  onRetry: () => void
}

/** The end of the list while there are older requests. Its height is the same in every state. */
function OlderRequests({ error, onRetry }: OlderRequestsProps) {
  return (
    <div className="flex h-11 items-center justify-center gap-3 px-6 text-ink-3 text-sm">
      {error ? (
        <>
          <span role="alert" className="truncate text-bad">
            Older requests could not be loaded. {error.message}
          </span>
          <Button small onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : (
        'Loading older requests…'
      )}
    </div>
  )
}

const ITEM = 'block truncate rounded-md px-2 py-1.5 outline-none data-highlighted:bg-highlight'

interface RowMenuProps {
  /** The record of the row that an element belongs to; null outside of all rows. */
  findRecord: (element: Element) => RequestRecord | null
  onOpen: (id: string) => void
  children: ReactNode
}

/** The menu of a row, which the secondary button of the mouse and the menu key open. */
function RowMenu({ findRecord, onOpen, children }: RowMenuProps) {
  const [record, setRecord] = useState<RequestRecord | null>(null)
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger
        asChild
        onContextMenu={(event) => {
          const found = event.target instanceof Element ? findRecord(event.target) : null
          setRecord(found)
          // Outside of the rows, the window's own menu opens.
          if (!found) event.stopPropagation()
        }}
      >
        {children}
      </ContextMenu.Trigger>
      {record ? (
        <ContextMenu.Portal>
          <ContextMenu.Content
            aria-label="Request"
            collisionPadding={8}
            className="z-50 min-w-40 max-w-80 animate-rise overflow-hidden rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <ContextMenu.Item className={ITEM} onSelect={() => onOpen(record.id)}>
              Open
            </ContextMenu.Item>
            <ContextMenu.Item className={ITEM} onSelect={() => void copyText(record.id)}>
              Copy ID
            </ContextMenu.Item>
            <ContextMenu.Separator className="my-1 h-px bg-line" />
            {listFilters(record).map(({ label, href }) => (
              <ContextMenu.Item key={label} asChild className={ITEM}>
                <Link href={href}>{label}</Link>
              </ContextMenu.Item>
            ))}
          </ContextMenu.Content>
        </ContextMenu.Portal>
      ) : null}
    </ContextMenu.Root>
  )
}

/** The logs of what the request has in common with others. */
function listFilters({
  keyId,
  model,
  provider,
  sessionId,
}: RequestRecord): { label: string; href: string }[] {
  const filters: [string, string, string | null][] = [
    ['key', 'key', keyId],
    ['model', 'model', model],
    ['provider', 'provider', provider],
    ['session', 'session', sessionId],
  ]
  return filters.flatMap(([what, name, value]) =>
    value === null
      ? []
      : [{ label: `Only this ${what}`, href: `/requests?${name}=${encodeURIComponent(value)}` }],
  )
}
