// Owns the view of the request log: filter, list, detail. The address says which requests, and which one is open.
import { Activity, RotateCw, SearchX } from 'lucide-react'
import { useCallback, useEffect, useMemo } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Button, IconButton } from '../../components/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useGateway } from '../../stores/gateway.ts'
import {
  filterFromSearch,
  filterToSearch,
  noFilter,
  type RequestFilter,
} from '../../stores/request-filter.ts'
import { useRequests } from '../../stores/requests.ts'
import { Detail } from './detail.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RequestTable } from './request-table.tsx'

export function Requests({ openId }: { openId: string | null }) {
  const state = useRequests((store) => store.state)
  const error = useRequests((store) => store.error)
  const empty = useRequests((store) => store.records.length === 0)
  // The whole window says so then.
  const lost = useGateway((store) => store.link === 'lost')
  const { setFilter, refresh, hold } = useRequests.getState()
  const search = useSearch()
  const [, navigate] = useLocation()
  const filter = useMemo(() => filterFromSearch(search), [search])
  const filterText = filterToSearch(filter)

  useEffect(() => {
    const wanted = filterFromSearch(filterText)
    if (filterToSearch(useRequests.getState().filter) !== filterText) void setFilter(wanted)
  }, [filterText, setFilter])
  // Away from the list nobody is reading it, so it follows what arrives.
  useEffect(() => () => hold(false), [hold])

  const open = useCallback(
    (id: string | null) =>
      navigate(`/requests${id ? `/${id}` : ''}${filterText ? `?${filterText}` : ''}`, {
        // Walking through the list is one step back, not one for each request.
        replace: id !== null && openId !== null,
      }),
    [navigate, filterText, openId],
  )
  const change = useCallback(
    (next: RequestFilter) => {
      const text = filterToSearch(next)
      navigate(`/requests${openId ? `/${openId}` : ''}${text ? `?${text}` : ''}`, { replace: true })
    },
    [navigate, openId],
  )

  return (
    <Page
      title="Requests"
      subtitle="Every call through the gateway, newest first, as it happens."
      // Where there is room, the list makes way for the detail instead of lying under it.
      {...(openId === null ? {} : { className: 'xl:pr-[440px]' })}
      fixed
      actions={
        <>
          <IconButton label="Refresh" icon={RotateCw} onClick={() => void refresh()} />
          <ExportMenu filter={filter} empty={state !== 'ready' || empty} />
        </>
      }
    >
      <FilterBar filter={filter} onChange={change} />
      <div className="relative flex min-h-0 flex-1 flex-col bg-surface">
        {state === 'first' ? <SkeletonRows rows={8} /> : null}
        {state === 'failed' ? <LoadError error={error} onRetry={() => void refresh()} /> : null}
        {state === 'ready' && error && !lost ? (
          <p role="alert" className="border-line border-b bg-bad-soft px-6 py-1.5 text-bad text-sm">
            This list may be old. {error.message}
          </p>
        ) : null}
        {state === 'ready' && empty ? (
          <NoRequests filtered={filterText !== ''} onClear={() => change(noFilter)} />
        ) : null}
        {state === 'ready' && !empty ? <RequestTable openId={openId} onOpen={open} /> : null}
        <NewRequests />
      </div>
      <Detail id={openId} onOpen={open} onClose={() => open(null)} />
    </Page>
  )
}

/** What arrived while the reader was further down. */
function NewRequests() {
  const count = useRequests((store) => store.held.length)
  if (count === 0) return null
  return (
    <button
      type="button"
      onClick={() => useRequests.getState().hold(false)}
      className="absolute top-10 left-1/2 h-6 -translate-x-1/2 rounded-full bg-accent px-3 font-medium text-sm text-white shadow-float hover:bg-accent-hover"
    >
      {count === 1 ? '1 new request' : `${count} new requests`}
    </button>
  )
}

function NoRequests({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const nextCursor = useRequests((store) => store.nextCursor)
  const error = useRequests((store) => store.moreError)
  const { loadMore } = useRequests.getState()
  // A rare match may lie beyond what the gateway looks through at a time.
  useEffect(() => {
    if (nextCursor !== null && error === null) void loadMore()
  }, [nextCursor, error, loadMore])
  if (nextCursor !== null) {
    if (error) return <LoadError error={error} onRetry={() => void loadMore()} />
    return (
      <div role="status">
        <p className="px-6 pt-4 text-ink-3 text-sm">Looking through older requests…</p>
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
        Nothing recorded so far fits this filter. New requests that fit will appear here.
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
      Each call shows here the moment it arrives, with its model, tokens, cost and latency.
    </EmptyState>
  )
}
