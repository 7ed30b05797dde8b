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
    hasKeys,
    tabStop,
    body,
    findRow,
    handlers: {
      // Without keys of their own, rows can still be marked from the controls in them.
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

/** The row that a key moves to from row `from`; null for any other key. `pageRows`: rows in the view. */
export function rowAfterKey(key: string, from: number, last: number, pageRows: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, from + 1)
    case 'ArrowUp':
      return Math.max(0, from - 1)
    case 'PageDown':
      return Math.min(last, from + pageRows)
    case 'PageUp':
      return Math.max(0, from - pageRows)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

/** How far the keys for a page move, where that is not measured. */
const PAGE_ROWS = 10

/** Handles the keys of a list: they move the focus among its elements for the selector. */
export function moveFocus(event: KeyboardEvent<HTMLElement>, selector: string): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const elements = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const from = elements.findIndex((element) => element.contains(document.activeElement))
  const to = rowAfterKey(event.key, from, elements.length - 1, PAGE_ROWS)
  // Events of menus that an element has opened arrive here, too.
  if (from < 0 || to === null) return
  event.preventDefault()
  elements[to]?.focus()
}

/** Rows are marked by a click with Ctrl, up to another one with Shift, and with the same keys and the arrows or Space. */
export interface Marking {
  /** IDs of rows. */
  marked: ReadonlySet<string>
  onMark(ids: ReadonlySet<string>): void
}

/**
 * How the rows of a list are marked, which are elements with their id in `data-row`; null for a list without marking.
 * `listIds` returns them in the order of the list, which may be long; `current` is the row that the keys act on.
 */
export function useMarker(
  marking: Marking | undefined,
  listIds: () => readonly string[],
  current?: string | undefined,
) {
  const anchor = useRef<string | null>(null)
  if (marking === undefined) return null
  const { marked, onMark } = marking
  const toggle = (id: string) => {
    anchor.current = id
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    onMark(next)
  }
  /** Marks the rows from the one that was marked last, or else from the current one, to this one. */
  const markTo = (id: string) => {
    const ids = listIds()
    anchor.current ??= current ?? ids[0] ?? id
    const [from, to] = [Math.max(0, ids.indexOf(anchor.current)), ids.indexOf(id)]
    onMark(new Set([...marked, ...ids.slice(Math.min(from, to), Math.max(from, to) + 1)]))
  }
  return {
    marked,
    markTo,
    /** Whether a click on a row was one that marks. */
    onClick(id: string, { ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
      if (ctrlKey || metaKey) toggle(id)
      else if (shiftKey) markTo(id)
      else return false
      return true
    },
    /** Whether a key, pressed in a row, was one that marks or unmarks. */
    onKey(id: string | undefined, event: KeyboardEvent): boolean {
      if (event.key === 'Escape' && marked.size > 0) onMark(new Set())
      else if (id !== undefined && (event.ctrlKey || event.metaKey) && event.key === ' ') toggle(id)
      else return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
    /** Shift would select the text between two clicks. */
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey) event.preventDefault()
    },
  }
}

/** The id of the row that an event belongs to. */
export function getRowId(target: EventTarget): string | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
  return row?.dataset.row
}

/** Whether an event belongs to a control inside a row, not to the row. */
export function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button, a, input') !== null
}
