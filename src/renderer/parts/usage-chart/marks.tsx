// What a chart draws: bars or lines, the period before, and a bound.
import type { ChartArea } from '../../kit/chart-frame.tsx'
import { type Column, computeHeight, type PastColumn, type Series } from './plot.ts'

interface LinesProps {
  area: ChartArea
  series: readonly Series[]
  columns: readonly Column[]
}

/** A line for each series, interrupted where it has no point. */
export function Lines({ area, series, columns }: LinesProps) {
  const slot = area.width / columns.length
  return series.map(({ id, color }, place) => {
    const points = columns.flatMap(({ values }, index) => {
      const value = values[place] ?? null
      return value === null ? [] : [{ index, x: area.left + (index + 0.5) * slot, y: area.y(value) }]
    })
    const path = points
      .map(({ index, x, y }, at) => `${points[at - 1]?.index === index - 1 ? 'L' : 'M'}${x},${y}`)
      .join('')
    return (
      <g key={id}>
        <path d={path} fill="none" stroke={color} strokeWidth={2} strokeLinejoin="round" />
        {points.map(({ index, x, y }) => (
          <circle key={index} cx={x} cy={y} r={slot > 12 ? 2.5 : 1.5} fill={color} />
        ))}
      </g>
    )
  })
}

/** The heights of the period before, as a faint line through the middles of the columns. */
export function PastLine({
  area,
  before,
  count,
}: {
  area: ChartArea
  before: readonly PastColumn[]
  count: number
}) {
  if (!before.some(({ value }) => value > 0)) return null
  const slot = area.width / count
  const points = before
    .slice(0, count)
    .map(({ value }, index) => `${area.left + (index + 0.5) * slot},${area.y(value)}`)
  return (
    <polyline
      points={points.join(' ')}
      fill="none"
      className="stroke-ink-3"
      strokeWidth={1.5}
      strokeDasharray="3 3"
      opacity={0.7}
      pointerEvents="none"
    />
  )
}

interface BoundProps {
  area: ChartArea
  columns: readonly Column[]
  value: number
  tried: boolean
}

/** A line at the bound, and what is above it in a color of its own. */
export function Bound({ area, columns, value, tried }: BoundProps) {
  const slot = area.width / columns.length
  const width = Math.max(1, Math.min(WIDEST, slot * FILLED))
  const y = area.y(value)
  return (
    <g pointerEvents="none">
      {columns.map((column, index) => {
        const height = computeHeight(column, 'bars')
        if (!tried || height <= value) return null
        const top = area.y(height)
        return (
          <rect
            key={column.period.group}
            x={area.left + (index + 0.5) * slot - width / 2}
            y={top}
            width={width}
            height={y - top}
            className="fill-bad-fill"
          />
        )
      })}
      <line
        x1={area.left}
        x2={area.left + area.width}
        y1={y}
        y2={y}
        className={tried ? 'stroke-bad' : 'stroke-ink-3'}
        strokeWidth={1.5}
      />
    </g>
  )
}

const WIDEST = 40
const FILLED = 0.74

interface BarsProps {
  area: ChartArea
  series: readonly Series[]
  columns: readonly Column[]
  /** The part under the pointer or chosen by keyboard; the others of its column are dimmed. */
  active: { column: number; series: number | null } | null
}

export function Bars({ area, series, columns, active }: BarsProps) {
  const slot = area.width / columns.length
  const width = Math.max(1, Math.min(WIDEST, slot * FILLED))
  const bottom = area.top + area.height
  return columns.map(({ period, values }, index) => {
    const center = area.left + (index + 0.5) * slot
    const chosen = active?.column === index ? active.series : null
    let base = 0
    return (
      <g key={period.group}>
        {values.map((value, place) => {
          if (value === null || value <= 0) return null
          const y = area.y(base + value)
          const height = area.y(base) - y
          const isLowest = base === 0
          base += value
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its series
              key={place}
              data-series={place}
              x={center - width / 2}
              // At least one pixel, so that anything is visible.
              y={Math.min(y, bottom - 1)}
              width={width}
              height={Math.max(height, isLowest ? 1 : 0)}
              fill={series[place]?.color}
              opacity={chosen === null || chosen === place ? 1 : 0.35}
            />
          )
        })}
      </g>
    )
  })
}
