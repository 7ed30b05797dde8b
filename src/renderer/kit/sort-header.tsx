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
  /** Whether it is a column of numbers. */
  right?: boolean
  /** A tooltip. */
  hint?: string | undefined
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
  hint,
  className,
  children,
}: SortHeaderProps<Column>) {
  const sorted = sort.column === column
  const Arrow = (sorted ? sort.descending : descendingFirst) ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      title={hint}
      aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
      className={cn(right && 'text-right', className)}
    >
      <button
        type="button"
        onClick={() => onSort({ column, descending: sorted ? !sort.descending : descendingFirst })}
        className={cn(
          'target group/sort inline-flex max-w-full align-top items-center gap-1 rounded-sm font-medium hover:text-ink',
          right && 'relative',
          sorted && 'text-ink',
        )}
      >
        <span className="truncate">{children}</span>
        <Arrow
          size={12}
          aria-hidden
          className={cn(
            'shrink-0',
            // Before the text, which ends where the numbers do, and in the space between the columns.
            right && 'absolute right-full mr-0.5',
            !sorted && 'opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60',
          )}
        />
      </button>
    </th>
  )
}
