import { memo, type ReactNode } from 'react'
import type { RequestRecord } from '../../../shared/requests.ts'
import { cn } from '../../components/cn.ts'
import { formatClock, formatCount, formatDuration, formatMoment } from '../../format.ts'
import { getRequestName } from '../../request-name.ts'
import { dropped, rowGrid } from './request-columns.tsx'
import { Cost, Count, Status } from './status.tsx'
import { ROW_PX } from './use-visible-rows.ts'

interface CellsProps {
  record: RequestRecord
  /** Any time today, in milliseconds. Requests of today show only their time of day. */
  now: number
  timeZone: string | undefined
}

interface RequestRowProps extends CellsProps {
  index: number
  open: boolean
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
}

/** Subscribes to nothing, so that rows render only when the table passes other props. */
export const RequestRow = memo(function RequestRow({ index, open, tabStop, ...cells }: RequestRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div
      role="row"
      tabIndex={tabStop ? 0 : -1}
      aria-rowindex={index + 2}
      aria-current={open || undefined}
      data-id={cells.record.id}
      data-index={index}
      style={{ transform: `translateY(${index * ROW_PX}px)` }}
      className={cn(
        rowGrid,
        'absolute inset-x-0 top-0 h-9 border-line border-b text-sm -outline-offset-2 contain-strict',
        open ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Cells {...cells} />
    </div>
  )
})

/** Separate from the row, which moves whenever a request arrives above it. */
const Cells = memo(function Cells({ record, now, timeZone }: CellsProps) {
  const { requestedModel, model } = record
  const other = model !== null && model !== requestedModel && !requestedModel?.endsWith(`/${model}`)
  const name = getRequestName(record)
  return (
    <>
      <Cell className="text-ink-2">
        <time dateTime={record.createdAt} title={formatMoment(record.createdAt, timeZone)}>
          {formatClock(record.createdAt, now, timeZone)}
        </time>
      </Cell>
      <Cell
        className={dropped.third}
        title={record.client === null ? record.keyName : `${record.keyName}, used by ${record.client}`}
      >
        {record.keyName}
      </Cell>
      <Cell className="font-medium" title={other ? `Requested ${requestedModel}, served ${model}` : name}>
        <span className="flex gap-1.5">
          <span className="truncate">
            {other ? <span className="font-normal text-ink-3">{requestedModel} → </span> : null}
            {name}
          </span>
          <Count record={record} />
        </span>
      </Cell>
      <Cell className={cn('text-ink-2', dropped.first)}>{record.provider ?? '–'}</Cell>
      <Cell title={record.error?.message}>
        <Status record={record} />
      </Cell>
      <Cell className={cn('text-right text-ink-2', dropped.second)}>
        {record.status === 'running' || record.tokensIn + record.tokensOut === 0
          ? '–'
          : `${formatCount(record.tokensIn, true)} / ${formatCount(record.tokensOut, true)}`}
      </Cell>
      <Cell className="text-right">
        <Cost record={record} />
      </Cell>
      <Cell className={cn('text-right text-ink-2', dropped.second)}>
        {record.timings.totalMs === null ? '–' : formatDuration(record.timings.totalMs)}
      </Cell>
    </>
  )
})

function Cell({
  children,
  className,
  title,
}: {
  children: ReactNode
  className?: string
  title?: string | undefined
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div role="cell" title={title} className={cn('truncate', className)}>
      {children}
    </div>
  )
}
