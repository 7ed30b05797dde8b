import { ArrowDown, ArrowUp } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { cn } from './cn.ts'
import type { Column, Sorting } from './table-order.ts'

interface HeadProps<Row, Id extends string> {
  columns: readonly Column<Row, Id>[]
  sorting: Sorting<Id> | undefined
  className: string
  rowStyle: CSSProperties | undefined
  rowClass: string
  cellClass: string
  before: ReactNode
  after: ReactNode
}

/** The head has two rows if columns are in groups. */
export function Head<Row, Id extends string>({
  columns,
  sorting,
  className,
  rowStyle,
  rowClass,
  cellClass,
  before,
  after,
}: HeadProps<Row, Id>) {
  const grouped = columns.some(({ group }) => group !== undefined)
  const renderHead = (column: Column<Row, Id>) => {
    const lower = column.group === undefined ? null : 'pb-1.5'
    const headClass = cn(cellClass, alignClass(column), lower, column.className, column.headClass)
    if (sorting && (column.sortBy || column.sortedByGateway)) {
      return <SortHead key={column.id} column={column} sorting={sorting} className={headClass} />
    }
    return (
      <th
        key={column.id}
        scope="col"
        title={column.hint}
        className={headClass}
        {...(grouped && column.group === undefined ? { rowSpan: 2 } : {})}
      >
        {column.hideHead ? <span className="sr-only">{column.head}</span> : column.head}
      </th>
    )
  }
  const upper = columns.filter(
    ({ group }, index) => group === undefined || group !== columns[index - 1]?.group,
  )
  return (
    <thead className={className}>
      <tr className={rowClass} style={rowStyle}>
        {before}
        {upper.map((column) =>
          column.group === undefined ? (
            renderHead(column)
          ) : (
            <th
              key={column.group}
              scope="colgroup"
              colSpan={columns.filter(({ group }) => group === column.group).length}
              className={cn(cellClass, 'pt-1 text-right')}
            >
              {column.group}
            </th>
          ),
        )}
        {after}
      </tr>
      {grouped ? (
        <tr className={rowClass}>{columns.filter(({ group }) => group !== undefined).map(renderHead)}</tr>
      ) : null}
    </thead>
  )
}

interface SortHeadProps<Row, Id extends string> {
  column: Column<Row, Id>
  sorting: Sorting<Id>
  className: string
}

function SortHead<Row, Id extends string>({ column, sorting, className }: SortHeadProps<Row, Id>) {
  const { id, head, hint, right, descendingFirst = false } = column
  const [sort, onSort] = sorting
  const sorted = sort.column === id
  const Arrow = (sorted ? sort.descending : descendingFirst) ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      title={hint}
      aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
      className={className}
    >
      <button
        type="button"
        onClick={() => onSort({ column: id, descending: sorted ? !sort.descending : descendingFirst })}
        className={cn(
          'target group/sort inline-flex max-w-full align-top items-center gap-1 rounded-sm font-medium hover:text-ink',
          right && 'relative',
          sorted && 'text-ink',
        )}
      >
        <span className="truncate">{head}</span>
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

interface SelectAllProps {
  ids: readonly string[]
  selected: ReadonlySet<string>
  onSelect: (ids: ReadonlySet<string>) => void
  label: string
}

export function SelectAll({ ids, selected, onSelect, label }: SelectAllProps) {
  const count = ids.filter((id) => selected.has(id)).length
  return (
    <th className="w-10 pl-4 font-medium max-sm:w-10!">
      <input
        type="checkbox"
        aria-label={label}
        checked={count > 0 && count === ids.length}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && count < ids.length
        }}
        onChange={({ target }) => onSelect(new Set(target.checked ? ids : []))}
        className="block size-3.5 accent-accent"
      />
    </th>
  )
}

export function alignClass<Row>({ right }: Column<Row>): string | undefined {
  return right ? 'text-right' : undefined
}
