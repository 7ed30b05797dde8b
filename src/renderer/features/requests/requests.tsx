import { useQuery } from '@tanstack/react-query'
import { Download, RotateCw, X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { refresh } from '../../data/query-client.ts'
import {
  listingFromSearch,
  listingToSearch,
  type RequestFilter,
  type RequestListing,
} from '../../data/request-filter.ts'
import { openRequest, requestLog } from '../../data/request-log.ts'
import { addProgress, useRunning } from '../../data/running.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { formatCount } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Page } from '../../kit/page.tsx'
import { Detail } from './detail.tsx'
import { ExportForm, useRequestExport } from './export-form.tsx'
import { RequestFilterBar } from './filter-bar.tsx'
import { RequestList } from './request-list.tsx'

/** The address says which requests are listed, and which one is open. */
export function Requests({ openId }: { openId: string | null }) {
  const search = useSearch()
  const [, navigate] = useLocation()
  // Ignores other parameters of the address.
  const listingText = listingToSearch(listingFromSearch(search))
  const listing = useMemo(() => listingFromSearch(listingText), [listingText])
  const { data: isEmpty = true } = useQuery({
    ...requestLog(listing),
    select: ({ records }) => records.length === 0,
  })
  const opened = useQuery({ ...openRequest(openId ?? ''), enabled: openId !== null })
  const record = openId === null ? undefined : opened.data
  const running = useRunning()

  const open = useCallback(
    (id: string | null) =>
      navigate(`/requests${id ? `/${id}` : ''}${listingText ? `?${listingText}` : ''}`, {
        // Moving through the list adds one history entry, not one for each request.
        replace: id !== null && openId !== null,
      }),
    [navigate, listingText, openId],
  )
  const change = useCallback(
    (next: RequestListing) => {
      const text = listingToSearch(next)
      navigate(`/requests${openId ? `/${openId}` : ''}${text ? `?${text}` : ''}`, { replace: true })
    },
    [navigate, openId],
  )
  const changeFilter = useCallback(
    (filter: RequestFilter) => change({ ...listing, filter }),
    [change, listing],
  )
  // The call was counted in the record of an earlier one.
  useEffect(() => {
    if (record && record.id !== openId) open(record.id)
  }, [record, openId, open])

  return (
    <Page
      title="Requests"
      subtitle="Every request through the gateway, live."
      // Wide windows have the list next to the detail instead of under it.
      {...(openId === null ? {} : { className: 'xl:pr-[440px]' })}
      fixed
      actions={
        <>
          <IconButton label="Refresh" icon={RotateCw} onClick={() => void refresh(requestLog(listing))} />
          <ExportButton filter={listing.filter} empty={isEmpty} />
        </>
      }
    >
      <RequestFilterBar filter={listing.filter} onChange={changeFilter} />
      <RequestList listing={listing} onList={change} openId={openId} onOpen={open} />
      <Detail
        id={openId}
        record={record && addProgress(record, running)}
        error={opened.error}
        onRetry={() => void opened.refetch()}
        onClose={() => open(null)}
      />
    </Page>
  )
}

export function ExportButton({ filter, empty }: { filter: RequestFilter; empty: boolean }) {
  const { written, stop } = useRequestExport()
  const [open, setOpen] = useState(false)
  if (written !== null) {
    return (
      <div role="status" className="flex items-center gap-2 text-ink-2">
        {`Exporting: ${formatCount(written)}`}
        <Button small icon={X} onClick={stop}>
          Stop export
        </Button>
      </div>
    )
  }
  return (
    <>
      <Button icon={Download} disabled={empty} onClick={() => setOpen(true)}>
        Export
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Export requests"
        description="Saves the requests that match the filter as a file."
      >
        <ExportForm filter={filter} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
