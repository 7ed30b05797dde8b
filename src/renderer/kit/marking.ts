import { type KeyboardEvent, type MouseEvent, useRef } from 'react'

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
