// Owns which rows of a long list exist: those in sight and some around them. All rows are equally high, so that this
// costs the same for a million rows as for ten. Knows nothing of what is in a row.
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

export const ROW_PX = 36
/** Rows beyond what is in sight: a hand on the wheel does not outrun them in a frame. */
const AROUND = 12
/** The rows move on in steps, so that not every pixel is a render. */
const STEP = 4

export interface RowsInSight {
  /** The first row to render, and the one after the last. It may lie beyond the end of the list. */
  first: number
  end: number
  /** How many fit into the view as a whole. */
  fitting: number
  onScroll(): void
  /** Scrolls as little as it takes until a row is in sight. */
  reveal(index: number): void
}

export function rowsInSight(scrollTop: number, height: number): Pick<RowsInSight, 'first' | 'end'> {
  const at = Math.floor(Math.max(0, scrollTop) / ROW_PX / STEP) * STEP
  return { first: Math.max(0, at - AROUND), end: at + STEP + Math.ceil(height / ROW_PX) + AROUND }
}

export function useRowsInSight(scroller: RefObject<HTMLElement | null>): RowsInSight {
  const [range, setRange] = useState({ ...rowsInSight(0, window.innerHeight), fitting: 1 })
  const measure = useCallback(() => {
    const view = scroller.current
    if (!view) return
    const fitting = Math.max(1, Math.floor(view.clientHeight / ROW_PX))
    const next = { ...rowsInSight(view.scrollTop, view.clientHeight), fitting }
    setRange((now) => {
      const same = now.first === next.first && now.end === next.end && now.fitting === fitting
      return same ? now : next
    })
  }, [scroller])
  useLayoutEffect(() => {
    if (!scroller.current) return
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, measure])
  return {
    ...range,
    // Later than in this frame, there would be a gap to see.
    onScroll: () => flushSync(measure),
    reveal(index) {
      const view = scroller.current
      if (!view) return
      const top = index * ROW_PX
      if (top < view.scrollTop) view.scrollTop = top
      else view.scrollTop = Math.max(view.scrollTop, top + ROW_PX - view.clientHeight)
      flushSync(measure)
    },
  }
}
