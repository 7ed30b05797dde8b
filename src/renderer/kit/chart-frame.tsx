// The frame of a chart: it measures its container and draws the grid lines and the labels of the y axis.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

export interface ChartArea {
  left: number
  top: number
  width: number
  height: number
  /** The y coordinate of a value. */
  y: (value: number) => number
}

interface ChartFrameProps {
  /** The ticks from 0 to the largest value drawn. */
  ticks: readonly number[]
  /** Return '' for an axis without labels. */
  tickLabel: (value: number) => string
  children: (area: ChartArea) => ReactNode
}

/** Pixels on either side of the chart: for the labels of the y axis, and for half of the last x label. */
export const CHART_LEFT = 60
export const CHART_RIGHT = 8
const TOP = 8
/** Space for one line of labels below the chart. */
const BOTTOM = 24

/** The CSS length from the bottom of the frame to a share of the chart's height, from 0 to 1. */
export function toBottom(share: number): string {
  return `calc(${BOTTOM}px + ${share} * (100% - ${TOP + BOTTOM}px))`
}

/** The value at `y` pixels from the top of a frame `height` pixels high, whose chart ends with `max`. */
export function findValue(y: number, height: number, max: number): number {
  return (1 - (y - TOP) / (height - TOP - BOTTOM)) * max
}

/** Fills its container. Hidden from screen readers: what it shows must also be available as text. */
export function ChartFrame({ ticks, tickLabel, children }: ChartFrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  // Measured before the first paint, so that nothing is drawn at the wrong size.
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const max = ticks.at(-1) ?? 1
  const width = Math.max(0, (size?.width ?? 0) - CHART_LEFT - CHART_RIGHT)
  const height = Math.max(0, (size?.height ?? 0) - TOP - BOTTOM)
  const area: ChartArea = {
    left: CHART_LEFT,
    top: TOP,
    width,
    height,
    y: (value) => TOP + height * (1 - value / max),
  }
  return (
    <div ref={frame} aria-hidden className="absolute inset-0">
      {size && width > 0 && height > 0 ? (
        <svg width={size.width} height={size.height} aria-hidden className="block fill-ink-3 text-xs">
          {ticks.map((value) => {
            const y = Math.round(area.y(value)) + 0.5
            return (
              <g key={value}>
                <line x1={CHART_LEFT} x2={CHART_LEFT + width} y1={y} y2={y} stroke="var(--color-line)" />
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

/** A label below the x axis; `x` is in pixels from the left of the chart. */
export function AxisLabel({ area, x, children }: { area: ChartArea; x: number; children: string }) {
  return (
    <text x={x} y={area.top + area.height + 17} textAnchor="middle">
      {children}
    </text>
  )
}

const STEPS = [1, 2, 2.5, 5, 10]

/** Ticks from zero to at least `most`, in 3 to 5 steps of 1, 2, 2.5 or 5 times a power of ten; fewer if they must be whole. */
export function roundTicks(most: number, whole = false): number[] {
  if (!(most > 0)) return [0, 1]
  const rough = Math.max(most / 4, whole ? 1 : 0)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step =
    (STEPS.find(
      (factor) => factor * power >= rough * 0.999 && (!whole || Number.isInteger(factor * power)),
    ) ?? 10) * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}
