import { ArrowDown, ArrowUp, ChevronRight } from 'lucide-react'
import { type CSSProperties, memo, type ReactNode } from 'react'
import { cn } from './cn.ts'
import type { Column, Sorting } from './table-order.ts'

interface BodyRowProps<Row> {
  id: string
  record: Row
  columns: readonly Column<Row>[]
  name: string | undefined
  /** The level in a tree; undefined elsewhere. */
  level: number | undefined
  /** Undefined for a row without parts. */
  expanded: boolean | undefined
  onExpand: ((id: string, expanded: boolean) => void) | undefined
  open: boolean
  marked: boolean
  /** The place of a virtual row, in rows and in pixels. */
  index: number | undefined
  top: number | undefined
  grid: CSSProperties | undefined
  /** Undefined where rows cannot have the focus. */
  tabIndex: number | undefined
  className: string
  cellClass: string
  /** The class of an empty last cell; null for none. */
  edgeClass: string | null
}

export const BodyRow = memo(function BodyRow<Row>(props: BodyRowProps<Row>) {
  const { id, name, level, expanded, open, marked, tabIndex, index, top, grid, className, ...cells } = props
  return (
    <tr
      data-row={id}
      aria-label={name}
      aria-level={level}
      aria-expanded={expanded}
      aria-current={open || undefined}
      aria-description={marked ? 'Selected' : undefined}
      aria-rowindex={index === undefined ? undefined : index + 2}
      tabIndex={tabIndex}
      style={top === undefined ? undefined : { ...grid, transform: `translateY(${top}px)` }}
      className={className}
    >
      <Cells {...cells} id={id} name={name} level={level} expanded={expanded} />
    </tr>
  )
})

type CellsProps<Row> = Omit<
  BodyRowProps<Row>,
  'open' | 'marked' | 'tabIndex' | 'index' | 'top' | 'grid' | 'className'
>

/** Separate from the row, which may move whenever another one is inserted above it. */
const Cells = memo(function Cells<Row>(props: CellsProps<Row>) {
  const { id, record, columns, name, level, expanded, onExpand, cellClass, edgeClass } = props
  return (
    <>
      {columns.map((column, index) => {
        const Cell = column.isHeader ? 'th' : 'td'
        const content = column.cell?.(record)
        return (
          <Cell
            key={column.id}
            {...(column.isHeader ? { scope: 'row' } : {})}
            title={column.title?.(record)}
            className={cn(
              cellClass,
              column.isHeader && 'text-left font-normal',
              alignClass(column),
              column.className,
              column.cellClass,
            )}
          >
            {level === undefined || index > 0 ? (
              content
            ) : (
              <span className={cn('flex items-center gap-1', level > 1 ? 'pl-12' : 'font-medium')}>
                {expanded === undefined ? null : (
                  <button
                    type="button"
                    // The arrow keys expand rows.
                    tabIndex={-1}
                    aria-label={`${expanded ? 'Hide' : 'Show'} the parts of ${name}`}
                    onClick={() => onExpand?.(id, !expanded)}
                    className="flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-line hover:text-ink"
                  >
                    <ChevronRight
                      size={14}
                      aria-hidden
                      className={cn('transition-transform', expanded && 'rotate-90')}
                    />
                  </button>
                )}
                {content}
              </span>
            )}
          </Cell>
        )
      })}
      {edgeClass === null ? null : <td aria-hidden className={edgeClass} />}
    </>
  )
})

// The classes of the parts of a table.

const card = {
  frame: '',
  table: 'w-full table-fixed border-collapse',
  body: '',
  headGroup: '',
  headRow: 'h-9 border-b text-left text-ink-3 text-xs',
  head: 'px-4 font-medium',
  row: 'border-b last:border-b-0',
  height: 'h-(--row)',
  hover: '',
  cell: 'px-4',
  foot: '',
}

const dense = { ...card, head: 'px-3 font-medium' }

const part = {
  ...card,
  headRow: 'h-8 border-b text-left text-ink-3 text-xs',
  head: 'pr-3 font-medium',
  height: 'h-8',
  cell: 'pr-3',
}

/** A table as wide as its content, for parts that scroll sideways. */
const wide = {
  ...card,
  table: 'w-full border-collapse',
  headRow: 'text-left text-ink-3 text-xs',
  head: 'pr-4 font-medium',
  row: 'border-t',
  cell: 'pr-4',
}

const page = {
  ...card,
  frame: 'min-h-0 flex-1 overflow-auto [scrollbar-gutter:stable]',
  table: 'w-full border-separate border-spacing-0',
  headRow: '',
  head: 'sticky top-0 z-10 h-8 border-b bg-canvas px-2 text-left font-medium text-ink-3 text-xs',
  // Not below the head or the totals.
  row: 'cursor-default scroll-mt-9 scroll-mb-11 -outline-offset-2',
  hover: 'hover:bg-sunken',
  height: '',
  cell: 'border-b px-2',
  foot: 'sticky bottom-0 z-10 h-10 border-t bg-canvas px-2 text-sm',
}

/** Each row is a grid at its place. An opaque layer is scrolled without repainting. */
export const virtualLook = {
  ...page,
  frame: 'min-h-0 flex-1 overflow-y-auto bg-surface [scrollbar-gutter:stable]',
  table: 'block',
  body: 'relative block',
  headGroup: 'sticky top-0 z-10 block border-b bg-surface',
  headRow: 'grid h-8 items-center text-left text-ink-3 text-xs',
  head: 'min-w-0 whitespace-nowrap font-medium',
  row: 'absolute inset-x-0 top-0 grid cursor-default scroll-mt-9 items-center border-b text-sm -outline-offset-2 contain-strict',
  height: 'h-(--row)',
  cell: 'truncate',
}

/** A table in a card, with many columns, in a part of a card, and as a whole page that scrolls below its head. */
export const looks = { card, dense, part, wide, page }

export type TableLook = Readonly<Record<keyof typeof card, string>>

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
