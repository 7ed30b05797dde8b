import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'

export interface Sort<Column extends string> {
  column: Column
  descending: boolean
}

interface SortHeaderProps<Column extends string> {
  column: Column
  sort: Sort<Column>
  onSort: (sort: Sort<Column>) => void
  /** The first press sorts the largest or newest first. */
  descendingFirst?: boolean
  /** Of a column of numbers. */
  right?: boolean
  className?: string
  children: ReactNode
}

/** The head of a column by which its table can be sorted. */
export function SortHeader<Column extends string>({
  column,
  sort,
  onSort,
  descendingFirst = false,
  right = false,
  className,
  children,
}: SortHeaderProps<Column>) {
  const sorted = sort.column === column
  const Arrow = (sorted ? sort.descending : descendingFirst) ? ArrowDown : ArrowUp
  return (
    <th
      aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
      className={cn(right && 'text-right', className)}
    >
      <button
        type="button"
        onClick={() => onSort({ column, descending: sorted ? !sort.descending : descendingFirst })}
        className={cn(
          'group/sort inline-flex max-w-full items-center gap-1 rounded-sm font-medium hover:text-ink',
          // The arrow is beside the text, and not between it and the edge along which the column is aligned.
          right && 'flex-row-reverse',
          sorted && 'text-ink',
        )}
      >
        <span className="truncate">{children}</span>
        <Arrow
          size={12}
          aria-hidden
          className={cn(
            'shrink-0',
            !sorted && 'opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60',
          )}
        />
      </button>
    </th>
  )
}
