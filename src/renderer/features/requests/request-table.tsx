import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { type RequestListing, toggleSort } from '../../data/request-filter.ts'
import type { RequestLog } from '../../data/request-log.ts'
import { addProgress, useRunning } from '../../data/running.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { getDay } from '../../kit/format.ts'
import type { MenuItems } from '../../kit/menu.tsx'
import type { Marking } from '../../kit/row-focus.ts'
import type { Column } from '../../kit/table-order.ts'
import { useRowHeight } from '../../kit/theme.ts'
import { useNow } from '../../kit/use-now.ts'
import { useCompareItem } from './compare-actions.tsx'
import { type CellContext, COLUMN_IDS, type ColumnId, type ColumnLayout, logColumns } from './log-columns.tsx'

/** How many rows before the end the next page is requested. */
const AHEAD = 150

interface RequestTableProps {
  log: RequestLog
  layout: ColumnLayout
  marking: Marking
  listing: RequestListing
  onList: (listing: RequestListing) => void
  /** The rows are those of the previous filter. */
  stale: boolean
  openId: string | null
  onOpen: (id: string) => void
  onHold: (on: boolean) => void
  onMore: () => void
}

export function RequestTable({
  log,
  layout,
  marking,
  listing,
  onList,
  stale,
  openId,
  onOpen,
  onHold,
  onMore,
}: RequestTableProps) {
  const { holding, nextCursor, olderError } = log
  const blocked = stale || olderError !== null
  const rowPx = useRowHeight()
  const scroller = useRef<HTMLDivElement>(null)
  const columns = useColumns(layout)
  const getItems = useRequestItems(onOpen)
  const running = useRunning()
  const records = useMemo(() => log.records.map((record) => addProgress(record, running)), [log, running])
  const onReach = useCallback(
    (count: number) => {
      if (nextCursor !== null && !blocked && count >= records.length - AHEAD) onMore()
    },
    [records.length, nextCursor, blocked, onMore],
  )
  useEffect(() => {
    if (!holding) scroller.current?.scrollTo({ top: 0 })
  }, [holding])
  const sorted = COLUMN_IDS.find((id) => logColumns[id].sort === listing.sort) ?? 'time'
  return (
    <DataTable
      label="Requests"
      columns={columns}
      rows={records}
      getId={getId}
      sorting={[
        { column: sorted, descending: listing.order === 'desc' },
        ({ column }) => onList(toggleSort(listing, logColumns[column].sort ?? 'time')),
      ]}
      stale={stale}
      marking={marking}
      menu={{ label: 'Request', getItems }}
      openId={openId}
      onOpen={({ id }) => onOpen(id)}
      virtual={{
        grid: layout.grid,
        more: nextCursor !== null,
        onReach,
        onScroll: (top) => onHold(top > rowPx),
        scroller,
      }}
    >
      {nextCursor === null ? null : <OlderRequests error={olderError} onRetry={onMore} />}
    </DataTable>
  )
}

const getId = ({ id }: RequestRecord) => id

function useColumns({ shown }: ColumnLayout): readonly Column<RequestRecord, ColumnId>[] {
  const context = useCellContext(shown.includes('status'))
  return useMemo(
    () =>
      shown.map((id) => {
        const { name, sort, title, cell, ...column } = logColumns[id]
        return {
          ...column,
          id,
          head: name,
          sortedByGateway: sort !== undefined,
          descendingFirst: true,
          title: (record) => title?.(record, context),
          cell: (record) => cell(record, context),
        }
      }),
    [shown, context],
  )
}

/** Its time stays the same until tomorrow, so that rows do not render whenever the clock ticks. */
function useCellContext(hasStatus: boolean): CellContext {
  const timeZone = useTimeZone()
  const clock = useNow()
  const day = getDay(clock, timeZone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: any time of the day will do
  const now = useMemo(() => clock, [day])
  const providerNames = useProviderNames()
  return useMemo(
    () => ({ now, timeZone, providerNames, hasStatus }),
    [now, timeZone, providerNames, hasStatus],
  )
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
            {`Older requests could not be loaded. ${error.message}`}
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

/** The menu of a request: its actions, and the logs of what it has in common with others. */
function useRequestItems(onOpen: (id: string) => void): (record: RequestRecord) => MenuItems {
  const [, navigate] = useLocation()
  const compare = useCompareItem()
  return (record) => {
    const { id, keyId, model, provider, sessionId } = record
    const compared = compare(record)
    const filters: [string, string, string | null][] = [
      ['Only this key', 'key', keyId],
      ['Only this model', 'model', model],
      ['Only this provider', 'provider', provider],
      ['Only this session', 'session', sessionId],
    ]
    return [
      { label: 'Open', onSelect: () => onOpen(id) },
      { label: 'Copy ID', onSelect: () => void copyText(id) },
      ...(compared === null ? [] : [compared]),
      'separator',
      ...filters.flatMap(([label, name, value]) =>
        value === null
          ? []
          : [{ label, onSelect: () => navigate(`/requests?${name}=${encodeURIComponent(value)}`) }],
      ),
    ]
  }
}
