import type { KeyboardEvent } from 'react'

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
export const PAGE_ROWS = 10

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
