import type { KeyboardEvent } from 'react'

/** Moves the focus among the buttons of an element with the arrow keys, as they are laid out. */
export function focusNeighbor(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')]
  const current = buttons.find((button) => button === document.activeElement)
  const next = current && findNeighbor(buttons, current, event.key)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function findNeighbor(
  buttons: readonly HTMLElement[],
  current: HTMLElement,
  key: string,
): HTMLElement | undefined {
  const index = buttons.indexOf(current)
  switch (key) {
    case 'ArrowRight':
      return buttons[index + 1]
    case 'ArrowLeft':
      return buttons[index - 1]
    case 'ArrowDown':
      return findInRow(buttons.slice(index + 1), current)
    case 'ArrowUp':
      return findInRow(buttons.slice(0, Math.max(0, index)).reverse(), current)
    default:
      return undefined
  }
}

/** The element nearest to the column, among those in the nearest other row. */
function findInRow(candidates: readonly HTMLElement[], current: HTMLElement): HTMLElement | undefined {
  const place = (element: HTMLElement) => element.getBoundingClientRect()
  const { top, left } = place(current)
  const first = candidates.find((element) => place(element).top !== top)
  if (!first) return candidates[0]
  const rowTop = place(first).top
  const row = candidates.filter((element) => place(element).top === rowTop)
  return row.toSorted((a, b) => Math.abs(place(a).left - left) - Math.abs(place(b).left - left))[0]
}
