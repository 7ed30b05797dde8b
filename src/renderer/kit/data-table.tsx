// One table for all lists: columns are data, from which the head, the cells, the order and the totals are made.

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { formatCount } from './format.ts'
import { getRowId, isControl, type Marking, useMarker } from './marking.ts'
import { type MenuItems, SecondaryMenu } from './menu.tsx'
import { rowAfterKey } from './row-keys.ts'
import { alignClass, Head, SelectAll } from './table-head.tsx'
import { type RowOrder, type Sorting, useTableRows } from './table-order.ts'
import { BodyRow, looks, virtualLook } from './table-row.tsx'
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

/** How far the keys for a page move, where that is not measured. */
const PAGE_ROWS = 10
/** Rows rendered beyond the view: more than one frame of scrolling passes. */
const OVERSCAN = 12

/** In the look of a page, arrow keys move between the rows; in a tree, left and right show and hide the parts of one. */
export function DataTable<Row, Id extends string>(props: DataTableProps<Row, Id>) {
  const { columns, getName, renderRow, rowClass, sorting, tree, stale, total, onOpen, openId } = props
  const { label, look = 'card', stacked = false, classes = {}, selection, marking, menu, virtual } = props
  const style = virtual ? virtualLook : looks[look]
  const { rowHeight = style.height } = props
  const rows = useTableRows({ ...props, sort: sorting?.[0] })
  const [showAll, setShowAll] = useState(false)
  const shown = showAll ? rows : rows.slice(0, props.firstShown)
  const body = useRef<HTMLTableSectionElement>(null)
  const [lastFocused, setLastFocused] = useState<string | null>(null)
  const findPlace = (wanted: string | null | undefined) => shown.findIndex(({ id }) => id === wanted)
  const hasRowKeys = look === 'page' || virtual !== undefined
  const tabStop = Math.max(0, findPlace(lastFocused) >= 0 ? findPlace(lastFocused) : findPlace(openId))
  const ownFrame = useRef<HTMLDivElement>(null)
  const frame = virtual?.scroller ?? ownFrame
  const rowPx = useRowHeight()
  const onReach = virtual?.onReach
  const { range, getVirtualItems, getTotalSize } = useVirtualizer({
    enabled: virtual !== undefined,
    count: shown.length,
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
  const findRow = (target: EventTarget) => shown.find(({ id }) => id === getRowId(target))
  const marker = useMarker(marking, () => shown.map(({ id }) => id), shown[tabStop]?.id)
  const moveTo = (to: number, opens = true) => {
    const row = shown[to]
    if (!row) return
    flushSync(() => setLastFocused(row.id))
    const element = body.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')
    element?.focus({ preventScroll: true })
    element?.scrollIntoView({ block: 'nearest' })
    if (openId && opens) onOpen?.(row.record, row.parent)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const current = shown[tabStop]
    if (!current) return
    if (marker?.onKey(current.id, event)) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const pageRows = virtual && frame.current ? Math.floor(frame.current.clientHeight / rowPx) - 1 : PAGE_ROWS
    const to = rowAfterKey(event.key, tabStop, shown.length - 1, pageRows)
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
    } else if (to !== null && marker && event.shiftKey) {
      marker.markTo(shown[to]?.id ?? current.id)
      moveTo(to, false)
    } else if (to !== null) moveTo(to)
    else return
    event.preventDefault()
  }
  const indexes = virtual ? getVirtualItems().map(({ index }) => index) : [...shown.keys()]
  const plain = (
    <table
      {...(tree ? { role: 'treegrid' } : {})}
      aria-label={label}
      aria-busy={stale}
      aria-rowcount={virtual && (virtual.more ? -1 : shown.length + 1)}
      className={cn(
        style.table,
        stacked && 'max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block',
        classes.table,
      )}
    >
      <Head
        columns={columns}
        sorting={sorting}
        className={style.headGroup}
        rowStyle={virtual?.grid}
        rowClass={cn(style.headRow, stacked && 'max-sm:flex max-sm:items-center max-sm:[&>th]:w-auto')}
        cellClass={cn(style.head, classes.head)}
        before={selection ? <SelectAll {...selection} ids={rows.map(({ id }) => id)} /> : null}
        after={
          classes.edge === undefined ? null : <td aria-hidden className={cn(style.head, classes.edge)} />
        }
      />
      <tbody
        ref={body}
        className={style.body}
        style={virtual && { height: getTotalSize() }}
        // Where rows have no keys, their controls have those that mark.
        onKeyDown={hasRowKeys ? onKeyDown : (event) => marker?.onKey(getRowId(event.target), event)}
        onFocus={({ target }) => hasRowKeys && setLastFocused(findRow(target)?.id ?? null)}
        onMouseDown={marker?.onMouseDown}
        onClick={(event) => {
          const row = findRow(event.target)
          if (!row || isControl(event.target) || marker?.onClick(row.id, event)) return
          onOpen?.(row.record, row.parent)
        }}
      >
        {indexes.map((index) => {
          const row = shown[index]
          if (row === undefined) return null
          const { id, record, parent, expanded } = row
          return (
            <Fragment key={id}>
              {renderRow?.(record) ?? (
                <BodyRow
                  id={id}
                  record={record}
                  columns={columns}
                  name={
                    getName &&
                    [parent, record].flatMap((row) => (row === null ? [] : getName(row))).join(', ')
                  }
                  level={tree && (parent ? 2 : 1)}
                  expanded={tree && parent === null ? expanded : undefined}
                  onExpand={tree?.onExpand}
                  open={id === openId}
                  marked={marking?.marked.has(id) ?? false}
                  index={virtual && index}
                  top={virtual && index * rowPx}
                  grid={virtual?.grid}
                  tabIndex={hasRowKeys ? (index === tabStop ? 0 : -1) : undefined}
                  className={cn(
                    style.row,
                    rowHeight,
                    id === openId || marking?.marked.has(id) ? 'bg-accent-soft' : style.hover,
                    rowClass?.(record),
                    parent && 'text-ink-2',
                  )}
                  cellClass={cn(style.cell, classes.cell)}
                  edgeClass={classes.edge === undefined ? null : cn(style.cell, classes.edge)}
                />
              )}
            </Fragment>
          )
        })}
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
  const table = menu ? (
    <SecondaryMenu
      label={menu.label}
      getItems={(target) => {
        const row = findRow(target)
        return row === undefined ? null : menu.getItems(row.record, row.parent)
      }}
    >
      {plain}
    </SecondaryMenu>
  ) : (
    plain
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
    <div
      ref={frame}
      className={cn(style.frame, classes.frame, stale && 'opacity-60')}
      onScroll={virtual && (({ currentTarget }) => virtual.onScroll(currentTarget.scrollTop))}
    >
      {table}
      {more}
      {props.children}
    </div>
  )
}
