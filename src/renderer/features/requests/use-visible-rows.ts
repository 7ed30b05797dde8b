import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** All rows have the same height, so the visible ones are computed in constant time. */
export const ROW_PX = 36
/** Rows rendered beyond the viewport: more than one frame of scrolling passes. */
const OVERSCAN = 12
/** The range changes in steps of rows, so that not every pixel renders. */
const STEP = 4

export interface VisibleRows {
  /** The first row to render, and the one after the last, which may be beyond the end of the list. */
  first: number
  end: number
  /** How many whole rows fit in the viewport. */
  pageRows: number
  onScroll(): void
  /** Scrolls just enough to make a row visible. */
  reveal(index: number): void
}

export function visibleRows(scrollTop: number, height: number): Pick<VisibleRows, 'first' | 'end'> {
  const at = Math.floor(Math.max(0, scrollTop) / ROW_PX / STEP) * STEP
  return { first: Math.max(0, at - OVERSCAN), end: at + STEP + Math.ceil(height / ROW_PX) + OVERSCAN }
}

export function useVisibleRows(scroller: RefObject<HTMLElement | null>): VisibleRows {
  const [range, setRange] = useState({ ...visibleRows(0, window.innerHeight), pageRows: 1 })
  const measure = useCallback(() => {
    const view = scroller.current
    if (!view) return
    const pageRows = Math.max(1, Math.floor(view.clientHeight / ROW_PX))
    const next = { ...visibleRows(view.scrollTop, view.clientHeight), pageRows }
    setRange((now) => {
      const same = now.first === next.first && now.end === next.end && now.pageRows === pageRows
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
    // After this frame a gap would be visible.
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
