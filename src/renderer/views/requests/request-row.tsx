// Owns one request in the list. It subscribes to nothing: what it shows comes from the table.
import { memo, type ReactNode } from 'react'
import type { RequestRecord } from '../../../shared/requests.ts'
import { classes } from '../../components/classes.ts'
import { formatClock, formatCount, formatDuration, formatMoment } from '../../format.ts'
import { Cost, Status } from './status.tsx'
import { ROW_PX } from './use-rows-in-sight.ts'

/**
 * The columns of head and rows. Where there is little room, first the provider is dropped, then tokens and latency, then
 * the key: what a row is about, how it went and what it cost stay.
 */
export const rowGrid =
  'grid items-center gap-x-3 px-6 grid-cols-[96px_minmax(70px,1fr)_minmax(140px,1.8fr)_minmax(70px,0.8fr)_104px_104px_92px_68px] @max-[820px]:gap-x-2 @max-[820px]:grid-cols-[92px_minmax(70px,1fr)_minmax(104px,1.4fr)_92px_80px_74px_62px] @max-[640px]:grid-cols-[92px_minmax(70px,1fr)_minmax(104px,1.4fr)_92px_74px] @max-[500px]:grid-cols-[92px_minmax(80px,1fr)_92px_70px] @max-[500px]:px-4'
export const dropped = {
  first: '@max-[820px]:hidden',
  second: '@max-[640px]:hidden',
  third: '@max-[500px]:hidden',
} as const

interface CellsProps {
  record: RequestRecord
  /** A moment of today, in milliseconds: of today only the time is shown. */
  now: number
  timeZone: string | undefined
}

interface RequestRowProps extends CellsProps {
  index: number
  open: boolean
  /** The one row that Tab leads to; arrow keys go on from it. */
  tabStop: boolean
}

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
      className={classes(
        rowGrid,
        'absolute inset-x-0 top-0 h-9 border-line border-b text-sm -outline-offset-2 contain-strict',
        open ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Cells {...cells} />
    </div>
  )
})

/** Apart from the row, as rows move whenever a request arrives above them. */
const Cells = memo(function Cells({ record, now, timeZone }: CellsProps) {
  const { requestedModel, model } = record
  const other = model !== null && model !== requestedModel && !requestedModel.endsWith(`/${model}`)
  return (
    <>
      <Cell className="text-ink-2">
        <time dateTime={record.createdAt} title={formatMoment(record.createdAt, timeZone)}>
          {formatClock(record.createdAt, now, timeZone)}
        </time>
      </Cell>
      <Cell className={dropped.third}>{record.keyName}</Cell>
      <Cell
        className="font-medium"
        title={other ? `${requestedModel} was asked for, ${model} served` : requestedModel}
      >
        {other ? (
          <>
            <span className="font-normal text-ink-3">{requestedModel} → </span>
            {model}
          </>
        ) : (
          (model ?? requestedModel)
        )}
      </Cell>
      <Cell className={classes('text-ink-2', dropped.first)}>{record.provider ?? '–'}</Cell>
      <Cell>
        <Status record={record} />
      </Cell>
      <Cell className={classes('text-right text-ink-2', dropped.second)}>
        {record.status === 'running'
          ? '–'
          : `${formatCount(record.tokensIn, true)} / ${formatCount(record.tokensOut, true)}`}
      </Cell>
      <Cell className="text-right">
        <Cost record={record} />
      </Cell>
      <Cell className={classes('text-right text-ink-2', dropped.second)}>
        {record.timings.totalMs === null ? '–' : formatDuration(record.timings.totalMs)}
      </Cell>
    </>
  )
})

function Cell({ children, className, title }: { children: ReactNode; className?: string; title?: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div role="cell" title={title} className={classes('truncate', className)}>
      {children}
    </div>
  )
}
