import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Activity, SearchX } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { RequestLog } from '../../data/log-rows.ts'
import { filterToSearch, noFilter } from '../../data/request-filter.ts'
import type { RequestListing } from '../../data/request-listing.ts'
import { holdRequests, loadOlderRequests, requestLog, showHeldRequests } from '../../data/request-log.ts'
import { Button } from '../../kit/button.tsx'
import { useConnection } from '../../kit/connection.ts'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { RequestTable } from './request-table.tsx'
import { Totals } from './totals.tsx'
import { useColumnLayout } from './use-column-layout.ts'
import { ViewMenu } from './view-menu.tsx'

interface RequestListProps {
  listing: RequestListing
  onList: (listing: RequestListing) => void
  opened: RequestRecord | null
  openId: string | null
  onOpen: (id: string) => void
}

export function RequestList({ listing, onList, opened, openId, onOpen }: RequestListProps) {
  // Until its rows have been read, the rows of the previous filter stay.
  const query = { ...requestLog(listing), placeholderData: keepPreviousData }
  const { filter } = listing
  const { data: log, error, isPending, isLoadingError, isPlaceholderData, refetch } = useQuery(query)
  // The window already has a banner for that.
  const lost = useConnection(({ state }) => state === 'lost')
  const hold = useCallback((on: boolean) => holdRequests(listing, on), [listing])
  const more = useCallback(() => void loadOlderRequests(listing), [listing])
  // A list that is not shown follows new requests.
  useEffect(() => () => hold(false), [hold])
  const empty = log?.records.length === 0
  // Equals the width of the rows: the space of the scroll bar is not part of it.
  const bar = useRef<HTMLDivElement>(null)
  const layout = useColumnLayout(bar, log?.records)
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
      {isPending ? <SkeletonRows rows={8} /> : null}
      {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {log && error && !lost ? (
        <p role="alert" className="border-line border-b bg-bad-soft px-6 py-1.5 text-bad text-sm">
          This list may be out of date. {error.message}
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
          log={log}
          layout={layout}
          listing={listing}
          onList={onList}
          stale={isPlaceholderData}
          opened={opened}
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
      {count === 1 ? '1 new request' : `${count} new requests`}
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
