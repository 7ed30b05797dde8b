import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { type ColumnLayout, fitColumns } from './column-layout.ts'
import { useLogColumns } from './column-store.ts'

/** The columns that fit into an element. */
export function useColumnLayout(element: RefObject<HTMLElement | null>): ColumnLayout {
  const chosen = useLogColumns((store) => store.chosen)
  // Before the first layout, and where there is none, all have room.
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const list = element.current
    if (!list) return
    const measure = () => setWidth(list.clientWidth || Number.POSITIVE_INFINITY)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    return () => observer.disconnect()
  }, [element])
  return useMemo(() => fitColumns(chosen, width), [chosen, width])
}
