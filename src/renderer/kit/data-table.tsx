// One table for all lists: columns are data, from which the head, the cells, the order and the totals are made.

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  Fragment,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { formatCount } from './format.ts'
import { type MenuItems, SecondaryMenu } from './menu.tsx'
import { type Marking, type RowFocus, useRowFocus } from './row-focus.ts'
import { alignClass, BodyRow, Head, looks, SelectAll, type TableLook, virtualLook } from './table-cells.tsx'
import { type RowOrder, type Sorting, type TableRow, useTableRows } from './table-order.ts'
import { useRowHeight } from './theme.ts'

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
  total?: Row
  /** The rows belong to the previous filter. */
  stale?: boolean
  openId?: string | null
  /** A click opens a row; in the look of a page, so does Enter on the row that the arrow keys have chosen. */
  onOpen?(row: Row, parent: Row | null): void
  marking?: Marking
  /** What the secondary button of the mouse and the menu key offer for a row. */
  menu?: { label: string; getItems(row: Row, parent: Row | null): MenuItems }
  /** The first column has a box for each row and one for all. */
  selection?: { selected: ReadonlySet<string>; onSelect(ids: ReadonlySet<string>): void; label: string }
  /** The rows are too many to be rendered: only those in view are. */
  virtual?: {
    /** The columns of the grid that each row is. */
    grid: CSSProperties
    /** Whether there are rows that are not read yet. */
    more: boolean
    /** Called with the number of rows up to the last one in view. */
    onReach(count: number): void
    onScroll(top: number): void
    scroller: RefObject<HTMLDivElement | null>
  }
  children?: ReactNode
}

/** Rows rendered beyond the view: more than one frame of scrolling passes. */
const OVERSCAN = 12

/** In the look of a page, arrow keys move between the rows; in a tree, left and right show and hide the parts of one. */
export function DataTable<Row, Id extends string>(props: DataTableProps<Row, Id>) {
  const { columns, look = 'card', stacked = false, classes = {}, selection, menu, virtual, total } = props
  const style = virtual ? virtualLook : looks[look]
  const rows = useTableRows({ ...props, sort: props.sorting?.[0] })
  const [showAll, setShowAll] = useState(false)
  const shown = showAll ? rows : rows.slice(0, props.firstShown)
  const ownFrame = useRef<HTMLDivElement>(null)
  const frame = virtual?.scroller ?? ownFrame
  const focus = useRowFocus(props, shown, frame)
  const plain = (
    <table
      {...(props.tree ? { role: 'treegrid' } : {})}
      aria-label={props.label}
      aria-busy={props.stale}
      aria-rowcount={virtual && (virtual.more ? -1 : shown.length + 1)}
      className={cn(
        style.table,
        stacked && 'max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block',
        classes.table,
      )}
    >
      <Head
        columns={columns}
        sorting={props.sorting}
        className={style.headGroup}
        rowStyle={virtual?.grid}
        rowClass={cn(style.headRow, stacked && 'max-sm:flex max-sm:items-center max-sm:[&>th]:w-auto')}
        cellClass={cn(style.head, classes.head)}
        before={selection ? <SelectAll {...selection} ids={rows.map(({ id }) => id)} /> : null}
        after={
          classes.edge === undefined ? null : <td aria-hidden className={cn(style.head, classes.edge)} />
        }
      />
      <Body props={props} shown={shown} style={style} focus={focus} frame={frame} />
      {total === undefined ? null : (
        <Totals columns={columns} total={total} classes={classes} style={style} />
      )}
    </table>
  )
  const content = (
    <>
      {menu ? (
        <SecondaryMenu
          label={menu.label}
          getItems={(target) => {
            const row = focus.findRow(target)
            return row === undefined ? null : menu.getItems(row.record, row.parent)
          }}
        >
          {plain}
        </SecondaryMenu>
      ) : (
        plain
      )}
      {rows.length > shown.length ? (
        <div className="flex justify-center py-3 print:hidden">
          <Button small onClick={() => setShowAll(true)}>
            {['Show all', formatCount(rows.length), props.noun].filter(Boolean).join(' ')}
          </Button>
        </div>
      ) : null}
      {props.children}
    </>
  )
  if (!focus.hasKeys) return content
  return (
    <div
      ref={frame}
      className={cn(style.frame, classes.frame, props.stale && 'opacity-60')}
      onScroll={virtual && (({ currentTarget }) => virtual.onScroll(currentTarget.scrollTop))}
    >
      {content}
    </div>
  )
}

interface BodyProps<Row, Id extends string> {
  props: DataTableProps<Row, Id>
  shown: readonly TableRow<Row>[]
  style: TableLook
  focus: RowFocus<Row>
  frame: RefObject<HTMLDivElement | null>
}

function Body<Row, Id extends string>({ props, shown, style, focus, frame }: BodyProps<Row, Id>) {
  const { columns, classes = {}, getName, renderRow, rowClass, tree, openId, marking, virtual } = props
  const { hasKeys, tabStop, handlers, body } = focus
  const { rowPx, indexes, height } = useRowsInView(virtual, shown.length, tabStop, frame)
  const cellClass = cn(style.cell, classes.cell)
  const edgeClass = classes.edge === undefined ? null : cn(style.cell, classes.edge)
  return (
    <tbody ref={body} className={style.body} style={virtual && { height }} {...handlers}>
      {indexes.map((index) => {
        const row = shown[index]
        if (row === undefined) return null
        const { id, record, parent, expanded } = row
        const isMarked = marking?.marked.has(id) ?? false
        const names = getName && [parent, record].flatMap((one) => (one === null ? [] : getName(one)))
        return (
          <Fragment key={id}>
            {renderRow?.(record) ?? (
              <BodyRow
                id={id}
                record={record}
                columns={columns}
                name={names?.join(', ')}
                level={tree && (parent ? 2 : 1)}
                expanded={tree && parent === null ? expanded : undefined}
                onExpand={tree?.onExpand}
                open={id === openId}
                marked={isMarked}
                index={virtual && index}
                top={virtual && index * rowPx}
                grid={virtual?.grid}
                tabIndex={hasKeys ? (index === tabStop ? 0 : -1) : undefined}
                className={cn(
                  style.row,
                  props.rowHeight ?? style.height,
                  id === openId || isMarked ? 'bg-accent-soft' : style.hover,
                  rowClass?.(record),
                  parent && 'text-ink-2',
                )}
                cellClass={cellClass}
                edgeClass={edgeClass}
              />
            )}
          </Fragment>
        )
      })}
    </tbody>
  )
}

/** The places of the rows that are rendered: those in view of a virtual table, else all. */
function useRowsInView(
  virtual: DataTableProps<unknown, string>['virtual'],
  count: number,
  tabStop: number,
  frame: RefObject<HTMLDivElement | null>,
) {
  const rowPx = useRowHeight()
  const onReach = virtual?.onReach
  const { range, getVirtualItems, getTotalSize } = useVirtualizer({
    enabled: virtual !== undefined,
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    // The row in the tab order may have the focus, so it is rendered wherever it is.
    rangeExtractor: (visible) => [...new Set([...defaultRangeExtractor(visible), tabStop])],
  })
  const end = range?.endIndex
  useEffect(() => {
    if (end !== undefined) onReach?.(end + 1)
  }, [end, onReach])
  const indexes = virtual
    ? getVirtualItems().map(({ index }) => index)
    : Array.from({ length: count }, (_, index) => index)
  return { rowPx, indexes, height: getTotalSize() }
}

interface TotalsProps<Row, Id extends string> {
  columns: DataTableProps<Row, Id>['columns']
  total: Row
  classes: NonNullable<DataTableProps<Row, Id>['classes']>
  style: TableLook
}

function Totals<Row, Id extends string>({ columns, total, classes, style }: TotalsProps<Row, Id>) {
  return (
    <tfoot>
      <tr className="font-medium">
        {columns.map((column) => (
          <td key={column.id} className={cn(style.foot, classes.foot, alignClass(column), column.className)}>
            {(column.total ?? column.cell)?.(total)}
          </td>
        ))}
        {classes.edge === undefined ? null : <td aria-hidden className={cn(style.foot, classes.edge)} />}
      </tr>
    </tfoot>
  )
}
