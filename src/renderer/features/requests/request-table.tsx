import { ContextMenu } from 'radix-ui'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import type { RequestLog } from '../../data/log-rows.ts'
import { type RequestListing, toggleSort } from '../../data/request-listing.ts'
import { addProgress, useRunning } from '../../data/running.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { DataTable, type Marking } from '../../kit/data-table.tsx'
import { getDay } from '../../kit/format.ts'
import type { Column } from '../../kit/table-order.ts'
import { useRowHeight } from '../../kit/theme.ts'
import { useNow } from '../../kit/use-now.ts'
import type { ColumnLayout } from './column-store.ts'
import { useCompareItem } from './compare-actions.tsx'
import { type CellContext, COLUMN_IDS, type ColumnId, logColumns } from './log-columns.tsx'

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
    <RowMenu records={records} onOpen={onOpen}>
      <DataTable
        label={t`Requests`}
        columns={columns}
        rows={records}
        getId={getId}
        sorting={[
          { column: sorted, descending: listing.order === 'desc' },
          ({ column }) => onList(toggleSort(listing, logColumns[column].sort ?? 'time')),
        ]}
        stale={stale}
        marking={marking}
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
    </RowMenu>
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
            {t`Older requests could not be loaded. ${error.message}`}
          </span>
          <Button small onClick={onRetry}>{t`Try again`}</Button>
        </>
      ) : (
        t`Loading older requests…`
      )}
    </div>
  )
}

const ITEM = 'block truncate rounded-md px-2 py-1.5 outline-none data-highlighted:bg-highlight'

interface RowMenuProps {
  records: readonly RequestRecord[]
  onOpen: (id: string) => void
  children: ReactNode
}

/** The menu of a row, which the secondary button of the mouse and the menu key open. */
function RowMenu({ records, onOpen, children }: RowMenuProps) {
  const [record, setRecord] = useState<RequestRecord | null>(null)
  const compare = useCompareItem(record)
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger
        className="flex min-h-0 flex-1 flex-col"
        onContextMenu={(event) => {
          const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
          const found = records.find(({ id }) => id === row?.dataset.row) ?? null
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
            aria-label={t`Request`}
            collisionPadding={8}
            className="z-50 min-w-40 max-w-80 animate-rise overflow-hidden rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <ContextMenu.Item className={ITEM} onSelect={() => onOpen(record.id)}>{t`Open`}</ContextMenu.Item>
            <ContextMenu.Item
              className={ITEM}
              onSelect={() => void copyText(record.id)}
            >{t`Copy ID`}</ContextMenu.Item>
            {compare ? (
              <ContextMenu.Item className={ITEM} onSelect={compare.onSelect}>
                {compare.label}
              </ContextMenu.Item>
            ) : null}
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
      : [{ label: t`Only this ${what}`, href: `/requests?${name}=${encodeURIComponent(value)}` }],
  )
}
