// One table for all lists: columns are data, from which the head, the cells, the order and the totals are made.
import type { RowData } from '@tanstack/react-table'
import { ChevronRight } from 'lucide-react'
import { Fragment, type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { formatCount } from './format.ts'
import { rowAfterKey } from './row-keys.ts'
import { alignClass, Head, SelectAll } from './table-head.tsx'
import { type Column, type RowOrder, type Sorting, useTableRows } from './table-order.ts'

interface DataTableProps<Row, Id extends string> extends Omit<RowOrder<Row, Id>, 'sort'> {
  label?: string
  look?: keyof typeof looks
  sorting?: Sorting<Id>
  getName?(row: Row): string
  /** Replaces the row made of the columns' cells. */
  renderRow?(row: Row): ReactNode
  rowClass?(row: Row): string | false
  rowHeight?: string
  /** Classes on top of those of the look. */
  classes?: { frame?: string; table?: string; head?: string; cell?: string; foot?: string; edge?: string }
  /** In the narrowest windows, rows are grids whose cells stand below each other. */
  stacked?: boolean
  /** The number of rows shown until the user requests all, which are called by the noun: "models". */
  firstShown?: number
  noun?: string
  /** A row among the others, before the one at this place. */
  inserted?: { at: number; row: ReactNode } | null
  total?: Row
  /** The rows belong to the previous filter. */
  stale?: boolean
  openId?: string | null
  /** A click opens a row; in the look of a page, so does Enter on the row that the arrow keys have chosen. */
  onOpen?(row: Row, parent: Row | null): void
  /** The first column has a box for each row and one for all. */
  selection?: { selected: ReadonlySet<string>; onSelect(ids: ReadonlySet<string>): void; label: string }
  children?: ReactNode
}

const card = {
  frame: '',
  table: 'w-full table-fixed border-collapse',
  headRow: 'h-9 border-b text-left text-ink-3 text-xs',
  head: 'px-4 font-medium',
  row: 'border-b last:border-b-0',
  height: 'h-9',
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

const sample = {
  ...wide,
  table: 'w-full border-collapse text-sm',
  headRow: 'bg-sunken text-left',
  head: 'px-3 py-1.5 font-medium',
  height: '',
  cell: 'px-3 py-1.5',
}

const page = {
  frame: 'min-h-0 flex-1 overflow-auto [scrollbar-gutter:stable]',
  table: 'w-full border-separate border-spacing-0',
  headRow: '',
  head: 'sticky top-0 z-10 h-8 border-b bg-canvas px-2 text-left font-medium text-ink-3 text-xs',
  row: 'cursor-default -outline-offset-2',
  hover: 'hover:bg-sunken',
  height: '',
  cell: 'border-b px-2',
  foot: 'sticky bottom-0 z-10 h-10 border-t bg-canvas px-2 text-sm',
}

/** A table in a card, with many columns, in a part of a card, and as a whole page that scrolls below its head. */
const looks = { card, dense, part, wide, sample, page }

const PAGE_ROWS = 10

/** In the look of a page, arrow keys move between the rows; in a tree, left and right show and hide the parts of one. */
export function DataTable<Row extends RowData, Id extends string>(props: DataTableProps<Row, Id>) {
  const { columns, getName, renderRow, rowClass, sorting, tree, stale, total, onOpen, openId } = props
  const { label, look = 'card', stacked = false, classes = {}, inserted = null, selection } = props
  const style = looks[look]
  const { rowHeight = style.height } = props
  const rows = useTableRows({ ...props, sort: sorting?.[0] })
  const [showAll, setShowAll] = useState(false)
  const shown = showAll ? rows : rows.slice(0, props.firstShown)
  const body = useRef<HTMLTableSectionElement>(null)
  const [lastFocused, setLastFocused] = useState<string | null>(null)
  const findPlace = (wanted: string | null | undefined) => shown.findIndex(({ id }) => id === wanted)
  const hasRowKeys = look === 'page'
  const tabStop = Math.max(0, findPlace(lastFocused) >= 0 ? findPlace(lastFocused) : findPlace(openId))
  const findRow = (target: EventTarget) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    return shown.find(({ id }) => id === row?.dataset.row)
  }
  const moveTo = (to: number) => {
    const row = shown[to]
    if (!row) return
    setLastFocused(row.id)
    body.current?.querySelectorAll<HTMLElement>('[data-row]')[to]?.focus()
    if (openId) onOpen?.(row.record, row.parent)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const current = shown[tabStop]
    if (event.ctrlKey || event.metaKey || event.altKey || !current) return
    const to = rowAfterKey(event.key, tabStop, shown.length - 1, PAGE_ROWS)
    const isWhole = current.parent === null
    if (event.key === 'Enter' || event.key === ' ') {
      if (isControl(event.target)) return
      onOpen?.(current.record, current.parent)
    } else if (tree && event.key === 'ArrowRight') {
      if (isWhole && !current.expanded) tree.onExpand(current.id, true)
      else moveTo(tabStop + 1)
    } else if (tree && event.key === 'ArrowLeft') {
      if (isWhole) tree.onExpand(current.id, false)
      else moveTo(shown.findIndex(({ record }) => record === current.parent))
    } else if (to !== null) moveTo(to)
    else return
    event.preventDefault()
  }
  const table = (
    <table
      {...(tree ? { role: 'treegrid' } : {})}
      aria-label={label}
      aria-busy={stale}
      className={cn(
        style.table,
        stacked && 'max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block',
        classes.table,
      )}
    >
      <Head
        columns={columns}
        sorting={sorting}
        rowClass={cn(style.headRow, stacked && 'max-sm:flex max-sm:items-center max-sm:[&>th]:w-auto')}
        cellClass={cn(style.head, classes.head)}
        before={selection ? <SelectAll {...selection} ids={rows.map(({ id }) => id)} /> : null}
        after={
          classes.edge === undefined ? null : <td aria-hidden className={cn(style.head, classes.edge)} />
        }
      />
      <tbody
        ref={body}
        onKeyDown={hasRowKeys ? onKeyDown : undefined}
        onFocus={({ target }) => hasRowKeys && setLastFocused(findRow(target)?.id ?? null)}
        onClick={({ target }) => {
          const row = findRow(target)
          if (row && !isControl(target)) onOpen?.(row.record, row.parent)
        }}
      >
        {shown.map(({ id, record, parent, expanded }, index) => (
          <Fragment key={id}>
            {inserted?.at === index ? inserted.row : null}
            {renderRow?.(record) ?? (
              <BodyRow
                id={id}
                record={record}
                columns={columns}
                name={
                  getName && [parent, record].flatMap((row) => (row === null ? [] : getName(row))).join(', ')
                }
                level={tree && (parent ? 2 : 1)}
                expanded={tree && parent === null ? expanded : undefined}
                onExpand={tree?.onExpand}
                open={id === openId}
                tabIndex={hasRowKeys ? (index === tabStop ? 0 : -1) : undefined}
                className={cn(
                  style.row,
                  rowHeight,
                  id === openId ? 'bg-accent-soft' : style.hover,
                  rowClass?.(record),
                  parent && 'text-ink-2',
                )}
                cellClass={cn(style.cell, classes.cell)}
                edgeClass={classes.edge === undefined ? null : cn(style.cell, classes.edge)}
              />
            )}
          </Fragment>
        ))}
        {inserted && inserted.at >= shown.length ? inserted.row : null}
      </tbody>
      {total === undefined ? null : (
        <tfoot>
          <tr className="font-medium">
            {columns.map((column) => (
              <td
                key={column.id}
                className={cn(style.foot, classes.foot, alignClass(column), column.className)}
              >
                {(column.total ?? column.cell)?.(total)}
              </td>
            ))}
            {classes.edge === undefined ? null : <td aria-hidden className={cn(style.foot, classes.edge)} />}
          </tr>
        </tfoot>
      )}
    </table>
  )
  const more =
    rows.length > shown.length ? (
      <div className="flex justify-center py-3 print:hidden">
        <Button small onClick={() => setShowAll(true)}>
          {['Show all', formatCount(rows.length), props.noun].filter(Boolean).join(' ')}
        </Button>
      </div>
    ) : null
  if (!hasRowKeys) {
    return (
      <>
        {table}
        {more}
        {props.children}
      </>
    )
  }
  return (
    <div className={cn(style.frame, classes.frame, stale && 'opacity-60')}>
      {table}
      {more}
      {props.children}
    </div>
  )
}

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
  /** Undefined where rows cannot have the focus. */
  tabIndex: number | undefined
  className: string
  cellClass: string
  /** The class of an empty last cell; null for none. */
  edgeClass: string | null
}

const BodyRow = memo(function BodyRow<Row>(props: BodyRowProps<Row>) {
  const { id, record, columns, name, level, expanded, onExpand, open, tabIndex, cellClass, edgeClass } = props
  return (
    <tr
      data-row={id}
      aria-label={name}
      aria-level={level}
      aria-expanded={expanded}
      aria-current={open || undefined}
      tabIndex={tabIndex}
      className={props.className}
    >
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
    </tr>
  )
})

/** Whether an event belongs to a control inside a row, not to the row. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button, a, input') !== null
}
