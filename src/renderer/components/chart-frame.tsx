// Owns the frame of a chart: its size on the screen, its lines and figures along the side. Knows nothing of what is
// drawn in it.
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

export interface ChartArea {
  left: number
  top: number
  width: number
  height: number
  /** Where a value stands, from the top of the plot. */
  y: (value: number) => number
}

interface ChartFrameProps {
  /** From none up to the largest that is drawn. */
  ticks: readonly number[]
  /** Blank for a side without figures. */
  tickLabel: (value: number) => string
  children: (area: ChartArea) => ReactNode
}

/** Pixels beside the plot, for the figures and for the half of the last name. */
export const CHART_LEFT = 60
export const CHART_RIGHT = 8
const TOP = 8
/** Room for one line of words under the plot. */
const FOOT = 24

/** Fills its container. Hidden from screen readers: what it shows must also be there in words. */
export function ChartFrame({ ticks, tickLabel, children }: ChartFrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  // Before the first paint, so that nothing is drawn in a size that it does not have.
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const most = ticks.at(-1) ?? 1
  const width = Math.max(0, (size?.width ?? 0) - CHART_LEFT - CHART_RIGHT)
  const height = Math.max(0, (size?.height ?? 0) - TOP - FOOT)
  const area: ChartArea = {
    left: CHART_LEFT,
    top: TOP,
    width,
    height,
    y: (value) => TOP + height * (1 - value / most),
  }
  return (
    <div ref={frame} aria-hidden className="absolute inset-0">
      {size && width > 0 && height > 0 ? (
        <svg width={size.width} height={size.height} aria-hidden className="block fill-ink-3 text-xs">
          {ticks.map((value) => {
            const y = Math.round(area.y(value)) + 0.5
            return (
              <g key={value}>
                <line x1={CHART_LEFT} x2={CHART_LEFT + width} y1={y} y2={y} stroke="var(--line)" />
                <text x={CHART_LEFT - 8} y={y} dy="0.32em" textAnchor="end">
                  {tickLabel(value)}
                </text>
              </g>
            )
          })}
          {children(area)}
        </svg>
      ) : null}
    </div>
  )
}

/** The line of words under a plot; `x` is from the left of the chart. */
export function AxisLabel({ area, x, children }: { area: ChartArea; x: number; children: string }) {
  return (
    <text x={x} y={area.top + area.height + 17} textAnchor="middle">
      {children}
    </text>
  )
}
