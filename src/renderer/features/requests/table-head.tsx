import { ArrowDown, ArrowUp } from 'lucide-react'
import { type RequestListing, type SortOrder, toggleSort } from '../../data/request-listing.ts'
import { cn } from '../../kit/cn.ts'
import type { ColumnLayout } from './column-layout.ts'
import { type LogColumn, logColumns } from './log-columns.tsx'
import { rowGrid } from './request-row.tsx'

const ariaSort = { asc: 'ascending', desc: 'descending' } as const

interface TableHeadProps {
  layout: ColumnLayout
  listing: RequestListing
  onList: (listing: RequestListing) => void
}

export function TableHead({ layout, listing, onList }: TableHeadProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div role="rowgroup" className="shrink-0 overflow-hidden border-line border-b [scrollbar-gutter:stable]">
      {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a head row is not reached by itself */}
      <div
        role="row"
        style={{
          gridTemplateColumns: layout.template,
          columnGap: layout.gapPx,
          paddingInline: layout.paddingPx,
        }}
        className={cn(rowGrid, 'h-8 font-medium text-ink-3 text-xs')}
      >
        {layout.shown.map((id) => {
          const { name, right, sort } = logColumns[id]
          const order = sort === listing.sort ? listing.order : null
          return (
            // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
            // biome-ignore lint/a11y/useFocusableInteractive: a column head is not reached by itself
            <div
              key={id}
              role="columnheader"
              aria-sort={order === null ? undefined : ariaSort[order]}
              className={cn('flex min-w-0', right && 'justify-end')}
            >
              {sort === undefined ? (
                <span className="truncate">{name}</span>
              ) : (
                <SortButton
                  column={logColumns[id]}
                  order={order}
                  onClick={() => onList(toggleSort(listing, sort))}
                />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface SortButtonProps {
  column: LogColumn
  /** Null when the list is sorted by another column. */
  order: SortOrder | null
  onClick: () => void
}

function SortButton({ column: { name, right }, order, onClick }: SortButtonProps) {
  const Icon = order === 'asc' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      title={`Sort by ${name.toLowerCase()}`}
      onClick={onClick}
      className={cn(
        'group flex h-6 min-w-0 items-center gap-1 rounded-sm px-1 hover:text-ink',
        right ? '-mr-1 flex-row-reverse' : '-ml-1',
        order !== null && 'text-ink',
      )}
    >
      <span className="truncate">{name}</span>
      <Icon
        size={12}
        aria-hidden
        className={cn(
          'shrink-0',
          order === null && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
        )}
      />
    </button>
  )
}
