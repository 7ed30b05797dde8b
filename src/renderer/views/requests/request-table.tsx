// Owns the list of requests: only the rows in sight exist, older pages load as they are reached.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useRequests } from '../../stores/requests.ts'
import { RequestRow, rowGrid } from './request-row.tsx'

const ROW_PX = 36
/** Rows from the end at which the next page is asked for. */
const AHEAD = 20

interface RequestTableProps {
  openId: string | null
  onOpen: (id: string | null) => void
}

export function RequestTable({ openId, onOpen }: RequestTableProps) {
  const { records, nextCursor, loadingMore, loadMore, hold } = useRequests()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    getItemKey: (index) => records[index]?.id ?? index,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (nextCursor !== null && last >= records.length - AHEAD) void loadMore()
  }, [last, records.length, nextCursor, loadMore])

  const holding = useRequests((store) => store.holding)
  useEffect(() => {
    if (!holding) scroller.current?.scrollTo({ top: 0 })
  }, [holding])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
    const from = records.findIndex(({ id }) => id === (focused ?? openId))
    const next = records[Math.min(records.length - 1, Math.max(0, from + step))]
    if (!next) return
    rows.scrollToIndex(records.indexOf(next))
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next.id)}"]`)?.focus()
    })
    if (openId) onOpen(next.id)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtualised grid cannot be a table element
    <div
      role="table"
      aria-label="Requests"
      aria-rowcount={records.length + 1}
      className="@container flex min-h-0 flex-1 flex-col"
    >
      {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
      <div role="rowgroup" className="shrink-0 border-line border-b px-6">
        {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: a head row is not reached by itself */}
        <div role="row" className={`${rowGrid} h-8 font-medium text-ink-3 text-xs`}>
          <Head>Time</Head>
          <Head>Key</Head>
          <Head>Model</Head>
          <Head wide>Provider</Head>
          <Head>Status</Head>
          <Head end>Tokens in / out</Head>
          <Head end>Cost</Head>
          <Head end>Latency</Head>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between its rows */}
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto"
        onScroll={(event) => {
          const down = event.currentTarget.scrollTop > ROW_PX
          if (down !== useRequests.getState().holding) hold(down)
        }}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map((item) => {
            const record = records[item.index]
            return record ? (
              <RequestRow
                key={item.key}
                record={record}
                index={item.index}
                top={item.start}
                open={record.id === openId}
                onOpen={onOpen}
              />
            ) : null
          })}
        </div>
        {loadingMore ? <p className="py-3 text-center text-ink-3 text-sm">Loading older requests…</p> : null}
      </div>
    </div>
  )
}

function Head({ children, end = false, wide = false }: { children: string; end?: boolean; wide?: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    // biome-ignore lint/a11y/useFocusableInteractive: a column head is not reached by itself
    <div
      role="columnheader"
      className={`${end ? 'text-right' : ''} ${wide ? '@max-[820px]:hidden' : ''} truncate`}
    >
      {children}
    </div>
  )
}
