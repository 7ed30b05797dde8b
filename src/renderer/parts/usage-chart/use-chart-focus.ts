// Which column and part of a chart the pointer or the keyboard is at, which columns are being selected, and what follows.
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { CHART_LEFT, CHART_RIGHT } from '../../kit/chart-frame.tsx'
import type { Column } from './plot.ts'

export interface ChartSpot {
  column: number
  /** Null: the column as a whole. */
  series: number | null
}

/** Columns, both included, in either order. */
interface Selection {
  from: number
  to: number
}

interface ChartActions {
  columns: readonly Column[]
  onOpen: (spot: ChartSpot) => void
  onSelect: (first: number, last: number) => void
}

export function useChartFocus({ columns, onOpen, onSelect }: ChartActions) {
  const [spot, setSpot] = useState<ChartSpot | null>(null)
  const [selection, setSelection] = useState<Selection | null>(null)
  // Another range may have fewer columns.
  const active = spot !== null && spot.column < columns.length ? spot : null
  const reset = () => {
    setSpot(null)
    setSelection(null)
  }
  const finish = (at: ChartSpot, { from, to }: Selection) => {
    setSelection(null)
    if (from === to) onOpen(at)
    else onSelect(Math.min(from, to), Math.max(from, to))
  }
  const spotAt = ({ clientX, currentTarget, target }: PointerEvent): ChartSpot | null => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const column = columnAt(clientX - left, width, columns.length)
    const part = target instanceof Element ? target.closest<SVGElement>('[data-series]') : null
    return column === null ? null : { column, series: part ? Number(part.dataset.series) : null }
  }

  const pointer = {
    onPointerDown(event: PointerEvent) {
      const at = spotAt(event)
      if (event.button === 0 && at) setSelection({ from: at.column, to: at.column })
    },
    onPointerMove(event: PointerEvent) {
      const at = spotAt(event)
      setSpot(at)
      if (!selection || !at) return
      // So that the end of the drag is noticed also outside of the chart.
      if (at.column !== selection.from) event.currentTarget.setPointerCapture(event.pointerId)
      setSelection({ from: selection.from, to: at.column })
    },
    onPointerUp(event: PointerEvent) {
      const at = spotAt(event) ?? active
      if (selection && at) finish(at, { from: selection.from, to: at.column })
      else setSelection(null)
    },
    onPointerCancel: reset,
    onPointerLeave: reset,
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape' && active !== null) reset()
    else if (event.key === 'Enter' && active !== null) {
      finish(active, selection ?? { from: active.column, to: active.column })
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      if (active === null) return
      setSpot({ ...active, series: nextSeries(columns[active.column], active.series, event.key) })
    } else {
      const column = nextColumn(event.key, active?.column ?? null, columns.length)
      if (column === null) return
      setSpot({ column, series: null })
      setSelection(event.shiftKey ? { from: selection?.from ?? active?.column ?? column, to: column } : null)
    }
    event.preventDefault()
  }
  const isSelecting = selection !== null && selection.from !== selection.to
  return {
    active,
    selected: isSelecting
      ? { first: Math.min(selection.from, selection.to), last: Math.max(selection.from, selection.to) }
      : null,
    handlers: { ...pointer, onKeyDown, onBlur: reset },
  }
}

function nextColumn(key: string, from: number | null, count: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (from ?? count) - 1)
    case 'ArrowRight':
      return Math.min(count - 1, (from ?? count - 2) + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** The part above or below; beyond the last one the whole column. */
function nextSeries(
  column: Column | undefined,
  from: number | null,
  key: 'ArrowUp' | 'ArrowDown',
): number | null {
  const parts = (column?.values ?? []).flatMap((value, index) => (value !== null && value > 0 ? [index] : []))
  const ordered = key === 'ArrowUp' ? parts : parts.toReversed()
  const at = from === null ? -1 : ordered.indexOf(from)
  return ordered[at + 1] ?? null
}

/** The column at `x` pixels from the left of a chart `width` pixels wide; null outside the plot area. */
export function columnAt(x: number, width: number, count: number): number | null {
  const plot = width - CHART_LEFT - CHART_RIGHT
  const index = Math.floor(((x - CHART_LEFT) / plot) * count)
  return index >= 0 && index < count ? index : null
}
