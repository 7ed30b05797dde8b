// Owns one request in the list.
import { memo, type ReactNode } from 'react'
import type { RequestRecord } from '../../../shared/requests.ts'
import { classes } from '../../components/classes.ts'
import { useNow } from '../../components/when.tsx'
import { formatClock, formatCount, formatDuration, formatMoment } from '../../format.ts'
import { useTimeZone } from '../../stores/account.ts'
import { Cost, Status } from './status.tsx'

/** The columns of head and rows; the provider is dropped where there is little room. */
export const rowGrid =
  'grid items-center gap-x-3 grid-cols-[96px_minmax(70px,1fr)_minmax(140px,1.8fr)_minmax(70px,0.8fr)_104px_104px_84px_64px] @max-[820px]:gap-x-2 @max-[820px]:grid-cols-[92px_minmax(70px,1fr)_minmax(104px,1.4fr)_94px_80px_66px_50px]'

interface RequestRowProps {
  record: RequestRecord
  index: number
  /** Pixels from the top of the list. */
  top: number
  open: boolean
  onOpen: (id: string) => void
}

export const RequestRow = memo(function RequestRow({ record, index, top, open, onOpen }: RequestRowProps) {
  const now = useNow()
  const timeZone = useTimeZone()
  const { requestedModel, model } = record
  const other = model !== null && model !== requestedModel && !requestedModel.endsWith(`/${model}`)
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div
      role="row"
      tabIndex={0}
      aria-rowindex={index + 2}
      aria-current={open || undefined}
      data-id={record.id}
      onClick={() => onOpen(record.id)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onOpen(record.id)
      }}
      style={{ transform: `translateY(${top}px)` }}
      className={classes(
        rowGrid,
        'absolute inset-x-0 top-0 h-9 border-line border-b px-6 text-sm -outline-offset-2',
        open ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Cell className="text-ink-2">
        <time dateTime={record.createdAt} title={formatMoment(record.createdAt, timeZone)}>
          {formatClock(record.createdAt, now, timeZone)}
        </time>
      </Cell>
      <Cell>{record.keyName}</Cell>
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
      <Cell className="text-ink-2 @max-[820px]:hidden">{record.provider ?? '–'}</Cell>
      <Cell>
        <Status record={record} />
      </Cell>
      <Cell className="text-right text-ink-2">
        {record.status === 'running'
          ? '–'
          : `${formatCount(record.tokensIn, true)} / ${formatCount(record.tokensOut, true)}`}
      </Cell>
      <Cell className="text-right">
        <Cost record={record} />
      </Cell>
      <Cell className="text-right text-ink-2">
        {record.timings.totalMs === null ? '–' : formatDuration(record.timings.totalMs)}
      </Cell>
    </div>
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
