import type { ChartArea } from '../../kit/chart-frame.tsx'
import { type Column, seriesColor } from './plot.ts'

const WIDEST = 40
const FILLED = 0.74

interface BarsProps {
  area: ChartArea
  columns: readonly Column[]
  /** The part under the pointer or chosen by keyboard; the others of its column are dimmed. */
  active: { column: number; series: number | null } | null
}

export function Bars({ area, columns, active }: BarsProps) {
  const slot = area.width / columns.length
  const width = Math.max(1, Math.min(WIDEST, slot * FILLED))
  const bottom = area.top + area.height
  return columns.map(({ period, values }, index) => {
    const center = area.left + (index + 0.5) * slot
    const chosen = active?.column === index ? active.series : null
    let base = 0
    return (
      <g key={period.group}>
        {values.map((value, series) => {
          if (value === null || value <= 0) return null
          const y = area.y(base + value)
          const height = area.y(base) - y
          const isLowest = base === 0
          base += value
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its series
              key={series}
              data-series={series}
              x={center - width / 2}
              // At least one pixel, so that anything is visible.
              y={Math.min(y, bottom - 1)}
              width={width}
              height={Math.max(height, isLowest ? 1 : 0)}
              fill={seriesColor(series, 'bars')}
              opacity={chosen === null || chosen === series ? 1 : 0.35}
            />
          )
        })}
      </g>
    )
  })
}
