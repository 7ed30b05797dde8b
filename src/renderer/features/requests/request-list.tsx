import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Activity, Columns3, GitCompareArrows, SearchX } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { CostStatus, RequestRecord } from '../../../shared/api/requests.ts'
import {
  filterToSearch,
  noFilter,
  type RequestFilter,
  type RequestListing,
} from '../../data/request-filter.ts'
import {
  holdRequests,
  loadOlderRequests,
  type RequestLog,
  requestLog,
  showHeldRequests,
  useRequestTotals,
} from '../../data/request-log.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { useConnection } from '../../kit/connection.ts'
import { formatCount, formatQuantity } from '../../kit/format.ts'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { Money } from '../../kit/money.tsx'
import { EmptyState, LoadError, QueryState, Skeleton, SkeletonRows } from '../../kit/notice.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { ChosenForComparison, compareHref, isComparable } from './compare-actions.tsx'
import { createExportWriter } from './export-form.tsx'
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  FIXED_COLUMNS,
  fitColumns,
  logColumns,
  useLogColumns,
} from './log-columns.tsx'
import { RequestTable } from './request-table.tsx'
import { ViewMenu } from './view-menu.tsx'

const noIds: ReadonlySet<string> = new Set()

interface RequestListProps {
  listing: RequestListing
  onList: (listing: RequestListing) => void
  openId: string | null
  onOpen: (id: string) => void
}

export function RequestList({ listing, onList, openId, onOpen }: RequestListProps) {
  // Until its rows have been read, the rows of the previous filter stay.
  const query = { ...requestLog(listing), placeholderData: keepPreviousData }
  const { filter } = listing
  const reading = useQuery(query)
  const { data: log, error, isPlaceholderData } = reading
  // The window already has a banner for that.
  const lost = useConnection(({ state }) => state === 'lost')
  const hold = useCallback((on: boolean) => holdRequests(listing, on), [listing])
  const more = useCallback(() => void loadOlderRequests(listing), [listing])
  // A list that is not shown follows new requests.
  useEffect(() => () => hold(false), [hold])
  const empty = log?.records.length === 0
  const [marked, setMarked] = useState<ReadonlySet<string>>(noIds)
  const chosen = log?.records.filter(({ id }) => marked.has(id)) ?? []
  // Equals the width of the rows: the space of the scroll bar is not part of it.
  const bar = useRef<HTMLDivElement>(null)
  const layout = useColumnLayout(bar, filter.held !== null, log?.records)
  return (
    <div className="@container relative flex min-h-0 flex-1 flex-col bg-surface">
      <div
        ref={bar}
        className="flex min-h-9 shrink-0 items-center justify-between @max-[30rem]:gap-1 gap-3 overflow-hidden border-line border-b @max-[30rem]:py-1 @max-[30rem]:pr-2 pr-4 @max-[30rem]:pl-4 pl-6 [scrollbar-gutter:stable]"
      >
        <Totals filter={filter} onFilter={(next) => onList({ ...listing, filter: next })} />
        <div className="flex shrink-0">
          <ViewMenu listing={listing} onList={onList} />
          <ColumnMenu shown={layout.shown} />
        </div>
      </div>
      <ChosenForComparison />
      <MarkedRequests records={chosen} onClear={() => setMarked(noIds)} />
      <QueryState query={reading} rows={8} />
      {log && error && !lost ? (
        <p role="alert" className="border-line border-b bg-bad-soft px-6 py-1.5 text-bad text-sm">
          {`This list may be out of date. ${error.message}`}
        </p>
      ) : null}
      {log && empty ? (
        <NoRequests
          log={log}
          filtered={filterToSearch(filter) !== ''}
          onMore={more}
          onClear={() => onList({ ...listing, filter: noFilter })}
        />
      ) : null}
      {log && !empty ? (
        <RequestTable
          marking={{ marked, onMark: setMarked }}
          log={log}
          layout={layout}
          listing={listing}
          onList={onList}
          stale={isPlaceholderData}
          openId={openId}
          onOpen={onOpen}
          onHold={hold}
          onMore={more}
        />
      ) : null}
      <NewRequests count={log?.held.length ?? 0} onShow={() => showHeldRequests(listing)} />
    </div>
  )
}

/** The number of requests that arrived while the user was further down, and a button that shows them. */
function NewRequests({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null
  return (
    <button
      type="button"
      onClick={onShow}
      className="absolute top-[4.75rem] left-1/2 h-6 -translate-x-1/2 rounded-full bg-accent px-3 font-medium text-sm text-white shadow-float hover:bg-accent-hover"
    >
      {formatQuantity(count, 'new request')}
    </button>
  )
}

interface NoRequestsProps {
  log: RequestLog
  filtered: boolean
  onMore: () => void
  onClear: () => void
}

function NoRequests({ log: { nextCursor, olderError: error }, filtered, onMore, onClear }: NoRequestsProps) {
  // A rare match may lie beyond the rows that the gateway searches at a time.
  useEffect(() => {
    if (nextCursor !== null && error === null) onMore()
  }, [nextCursor, error, onMore])
  if (nextCursor !== null) {
    if (error) return <LoadError error={error} onRetry={onMore} />
    return (
      <div role="status">
        <p className="px-6 pt-4 text-ink-3 text-sm">Searching older requests…</p>
        <SkeletonRows rows={8} />
      </div>
    )
  }
  if (filtered) {
    return (
      <EmptyState
        icon={SearchX}
        title="No request matches"
        action={<Button onClick={onClear}>Clear filter</Button>}
      >
        No recorded request matches this filter. New requests that match appear here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={Activity}
      title="No requests yet"
      action={
        <>
          <Link href="/playground" className="font-medium text-accent-ink hover:underline">
            Try the playground
          </Link>
          <span className="text-ink-3">or</span>
          <Link href="/connect" className="font-medium text-accent-ink hover:underline">
            connect a tool
          </Link>
        </>
      }
    >
      Requests appear here as they arrive, with their model, tokens, cost and latency.
    </EmptyState>
  )
}

const noRecords: readonly RequestRecord[] = []

/** The columns that fit into an element, with room for the costs of these records. Held amounts are shown where `ofHeld`. */
function useColumnLayout(
  element: RefObject<HTMLElement | null>,
  ofHeld: boolean,
  records: readonly RequestRecord[] = noRecords,
): ColumnLayout {
  const stored = useLogColumns((store) => store.chosen)
  const chosen = useMemo(
    () => (ofHeld ? COLUMN_IDS.filter((id) => id === 'held' || stored.includes(id)) : stored),
    [ofHeld, stored],
  )
  // Before the first layout, and where there is none, all have room.
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const list = element.current
    if (!list) return
    const measure = () => setWidth(list.clientWidth || Number.POSITIVE_INFINITY)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    return () => observer.disconnect()
  }, [element])
  const largestUsd = useMemo(
    () => records.reduce((largest, { costUsd }) => Math.max(largest, costUsd ?? 0), 0),
    [records],
  )
  // Keeps the layout while the number of digits stays the same, so that rows do not render in vain.
  const wholeUsd = 10 ** (String(Math.floor(largestUsd)).length - 1)
  return useMemo(() => fitColumns(chosen, width, wholeUsd), [chosen, width, wholeUsd])
}

/** Chooses the columns of the log. `shown`: those that have room now. */
function ColumnMenu({ shown }: { shown: readonly ColumnId[] }) {
  const { chosen, toggle, reset } = useLogColumns()
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button small variant="quiet" icon={Columns3}>
          <span className="@max-[30rem]:sr-only">Columns</span>
        </Button>
      </Popover.Trigger>
      <PopoverPanel
        align="end"
        aria-label="Columns"
        className="max-h-(--radix-popover-content-available-height) w-56 overflow-y-auto p-1"
      >
        {COLUMN_IDS.filter((id) => !FIXED_COLUMNS.includes(id)).map((id) => (
          <label key={id} className="flex items-center gap-2 rounded-md px-2 py-1.5 hover:bg-sunken">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={() => toggle(id)}
              className="size-3.5 shrink-0 accent-accent"
            />
            {logColumns[id].name}
            {chosen.includes(id) && !shown.includes(id) ? (
              <span className="ml-auto pl-4 text-ink-3 text-sm">does not fit</span>
            ) : null}
          </label>
        ))}
        <Button small variant="quiet" onClick={reset} className="mt-1 w-full">
          Default columns
        </Button>
      </PopoverPanel>
    </Popover.Root>
  )
}

interface TotalsProps {
  filter: RequestFilter
  onFilter: (filter: RequestFilter) => void
}

/** The totals of all requests that match the filter. */
function Totals({ filter, onFilter }: TotalsProps) {
  const { totals, stale } = useRequestTotals(filter)
  if (totals === undefined) return <Skeleton className="h-4 w-56" />
  const { requests, tokensIn, tokensOut, tokensCached, costUsd, unpriced, unsettled } = totals
  const only = (costStatus: CostStatus) => onFilter({ ...filter, costStatus })
  const split = `${formatCount(tokensIn)} in (${formatCount(tokensCached)} read from cache), ${formatCount(tokensOut)} out`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div
      role="group"
      aria-label="Totals"
      className={cn(
        'flex min-w-0 items-baseline @max-[30rem]:gap-x-1 gap-x-1.5 @max-[30rem]:flex-wrap text-ink-2 text-sm',
        stale && 'opacity-60',
      )}
    >
      <span className="whitespace-nowrap">
        <b className="font-semibold text-ink">{formatCount(requests)}</b>{' '}
        {requests === 1 ? 'request' : 'requests'}
      </span>
      <Dot />
      <Money usd={costUsd} className="font-semibold text-ink" />
      <Dot />
      <span title={split} className="whitespace-nowrap">
        <b className="font-semibold text-ink">{formatCount(tokensIn + tokensOut, true)}</b> tokens
      </span>
      {/* Where they begin a line of their own, no dot is before them. */}
      <span className="flex min-w-0 gap-1.5 @max-[30rem]:[&>:first-child]:hidden">
        {unpriced === 0 || filter.costStatus === 'unknown' ? null : (
          <More onClick={() => only('unknown')}>{`${formatCount(unpriced)} without a price`}</More>
        )}
        {unsettled === 0 || filter.costStatus === 'unsettled' ? null : (
          <More onClick={() => only('unsettled')}>{`${formatCount(unsettled)} unsettled`}</More>
        )}
      </span>
    </div>
  )
}

function Dot() {
  return (
    <span aria-hidden className="text-ink-3">
      ·
    </span>
  )
}

function More({ onClick, children }: { onClick: () => void; children: string[] | string }) {
  return (
    <>
      <Dot />
      <button type="button" onClick={onClick} className="truncate rounded-sm text-warn hover:underline">
        {children}
      </button>
    </>
  )
}

interface MarkedRequestsProps {
  /** Those of the list that are marked. */
  records: readonly RequestRecord[]
  onClear: () => void
}

/** The bar of the marked requests, two of which can be compared. */
function MarkedRequests({ records, onClear }: MarkedRequestsProps) {
  const [, navigate] = useLocation()
  const [first, second] = records
  return (
    <MarkedBar
      rows={records}
      csv={{ create: createCsv, fileName: 'tollgate-requests.csv' }}
      onClear={onClear}
    >
      {first && second && records.length === 2 && records.every(isComparable) ? (
        <Button small icon={GitCompareArrows} onClick={() => navigate(compareHref(first, second))}>
          Compare
        </Button>
      ) : null}
    </MarkedBar>
  )
}

/** A file with all columns of an export. */
function createCsv(records: readonly RequestRecord[]): Blob {
  const { type, head, between, tail, write } = createExportWriter({ format: 'csv', columns: null })
  return new Blob([head, records.map(write).join(between), tail], { type })
}
