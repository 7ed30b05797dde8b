import {
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { getRowId, isControl, type Marking, useMarker } from './marking.ts'
import { PAGE_ROWS, rowAfterKey } from './row-keys.ts'
import type { TableRow, Tree } from './table-order.ts'
import { useRowHeight } from './theme.ts'

export interface RowFocus<Row> {
  /** Whether the arrow keys move between the rows. */
  hasKeys: boolean
  /** The row in the tab order. */
  tabStop: number
  body: RefObject<HTMLTableSectionElement | null>
  handlers: HTMLAttributes<HTMLTableSectionElement>
  findRow(target: EventTarget): TableRow<Row> | undefined
}

interface FocusOptions<Row> {
  look?: string
  /** Only the rows in view are rendered. */
  virtual?: object
  tree?: Tree<Row> | undefined
  marking?: Marking
  openId?: string | null
  onOpen?(row: Row, parent: Row | null): void
}

/** Which row of a table has the focus, and what keys and clicks do with rows. */
export function useRowFocus<Row>(
  { look, virtual, tree, marking, openId, onOpen }: FocusOptions<Row>,
  shown: readonly TableRow<Row>[],
  frame: RefObject<HTMLDivElement | null>,
): RowFocus<Row> {
  const body = useRef<HTMLTableSectionElement>(null)
  const [lastFocused, setLastFocused] = useState<string | null>(null)
  const rowPx = useRowHeight()
  const hasKeys = look === 'page' || virtual !== undefined
  const findPlace = (wanted: string | null | undefined) => shown.findIndex(({ id }) => id === wanted)
  const place = findPlace(lastFocused)
  const tabStop = Math.max(0, place >= 0 ? place : findPlace(openId))
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
  return {
    ...{ hasKeys, tabStop, body, findRow },
    handlers: {
      // Where rows have no keys, their controls have those that mark.
      onKeyDown: hasKeys ? onKeyDown : (event) => void marker?.onKey(getRowId(event.target), event),
      onFocus: ({ target }: FocusEvent) => hasKeys && setLastFocused(findRow(target)?.id ?? null),
      ...(marker && { onMouseDown: marker.onMouseDown }),
      onClick(event: MouseEvent) {
        const row = findRow(event.target)
        if (!row || isControl(event.target) || marker?.onClick(row.id, event)) return
        onOpen?.(row.record, row.parent)
      },
    },
  }
}
