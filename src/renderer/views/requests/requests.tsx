import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useCallback, useEffect, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { IconButton } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { refresh } from '../../server-state/query-client.ts'
import { filterFromSearch, filterToSearch, type RequestFilter } from '../../server-state/request-filter.ts'
import { openRequest, requestLog } from '../../server-state/request-log.ts'
import { Detail } from './detail.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RequestList } from './request-list.tsx'

/** The address says which requests are listed, and which one is open. */
export function Requests({ openId }: { openId: string | null }) {
  const search = useSearch()
  const [, navigate] = useLocation()
  // Ignores other parameters of the address.
  const filterText = filterToSearch(filterFromSearch(search))
  const filter = useMemo(() => filterFromSearch(filterText), [filterText])
  const { data: isEmpty = true } = useQuery({
    ...requestLog(filter),
    select: ({ records }) => records.length === 0,
  })
  const opened = useQuery({ ...openRequest(openId ?? ''), enabled: openId !== null })
  const record = openId === null ? undefined : opened.data

  const open = useCallback(
    (id: string | null) =>
      navigate(`/requests${id ? `/${id}` : ''}${filterText ? `?${filterText}` : ''}`, {
        // Moving through the list adds one history entry, not one for each request.
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
  // The call was counted in the record of an earlier one.
  useEffect(() => {
    if (record && record.id !== openId) open(record.id)
  }, [record, openId, open])

  return (
    <Page
      title="Requests"
      subtitle="Every request through the gateway, newest first, live."
      // On wide windows the list is beside the detail instead of under it.
      {...(openId === null ? {} : { className: 'xl:pr-[440px]' })}
      fixed
      actions={
        <>
          <IconButton label="Refresh" icon={RotateCw} onClick={() => void refresh(requestLog(filter))} />
          <ExportMenu filter={filter} empty={isEmpty} />
        </>
      }
    >
      <FilterBar filter={filter} onChange={change} />
      <RequestList filter={filter} onFilter={change} opened={record ?? null} openId={openId} onOpen={open} />
      <Detail
        id={openId}
        record={record}
        error={opened.error}
        onRetry={() => void opened.refetch()}
        onClose={() => open(null)}
      />
    </Page>
  )
}
