import { memo } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { cn } from '../../kit/cn.ts'
import type { ColumnLayout } from './column-layout.ts'
import { type CellContext, logColumns } from './log-columns.tsx'
import { ROW_PX } from './use-visible-rows.ts'

interface CellsProps {
  record: RequestRecord
  /** Stays the same object until one of its values changes, so that rows do not render in vain. So does the layout. */
  context: CellContext
  layout: ColumnLayout
}

interface RequestRowProps extends CellsProps {
  index: number
  open: boolean
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
}

export const rowGrid = 'grid items-center'

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
      style={{
        transform: `translateY(${index * ROW_PX}px)`,
        gridTemplateColumns: cells.layout.template,
        columnGap: cells.layout.gapPx,
        paddingInline: cells.layout.paddingPx,
      }}
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
const Cells = memo(function Cells({ record, context, layout }: CellsProps) {
  return layout.shown.map((id) => {
    const { title, className, right, cell } = logColumns[id]
    return (
      // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
      <div
        key={id}
        role="cell"
        title={title?.(record, context)}
        className={cn('truncate', right && 'text-right', className)}
      >
        {cell(record, context)}
      </div>
    )
  })
})
