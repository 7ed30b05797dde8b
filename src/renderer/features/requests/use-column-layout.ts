import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { type ColumnLayout, fitColumns } from './column-layout.ts'
import { useLogColumns } from './column-store.ts'

const noRecords: readonly RequestRecord[] = []

/** The columns that fit into an element, with room for the costs of these records. */
export function useColumnLayout(
  element: RefObject<HTMLElement | null>,
  records: readonly RequestRecord[] = noRecords,
): ColumnLayout {
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
  const largestUsd = useMemo(
    () => records.reduce((largest, { costUsd }) => Math.max(largest, costUsd ?? 0), 0),
    [records],
  )
  // Keeps the layout while the number of digits stays the same, so that rows do not render in vain.
  const wholeUsd = 10 ** (String(Math.floor(largestUsd)).length - 1)
  return useMemo(() => fitColumns(chosen, width, wholeUsd), [chosen, width, wholeUsd])
}
