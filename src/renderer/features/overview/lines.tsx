import type { ChartArea } from '../../kit/chart-frame.tsx'
import { type Column, seriesColor } from './plot.ts'

interface LinesProps {
  area: ChartArea
  columns: readonly Column[]
  seriesCount: number
}

/** A line for each series, interrupted where it has no point. */
export function Lines({ area, columns, seriesCount }: LinesProps) {
  const slot = area.width / columns.length
  return Array.from({ length: seriesCount }, (_, series) => {
    const points = columns.flatMap(({ values }, index) => {
      const value = values[series] ?? null
      return value === null ? [] : [{ index, x: area.left + (index + 0.5) * slot, y: area.y(value) }]
    })
    const path = points
      .map(({ index, x, y }, at) => `${points[at - 1]?.index === index - 1 ? 'L' : 'M'}${x},${y}`)
      .join('')
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its series
      <g key={series}>
        <path
          d={path}
          fill="none"
          stroke={seriesColor(series, 'lines')}
          strokeWidth={2}
          strokeLinejoin="round"
        />
        {points.map(({ index, x, y }) => (
          <circle key={index} cx={x} cy={y} r={slot > 12 ? 2.5 : 1.5} fill={seriesColor(series, 'lines')} />
        ))}
      </g>
    )
  })
}
