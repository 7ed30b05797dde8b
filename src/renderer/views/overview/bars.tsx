import { AxisLabel, CHART_LEFT, CHART_RIGHT, type ChartArea } from '../../components/chart-frame.tsx'
import type { Span } from '../../server-state/periods.ts'
import { formatPeriodShort } from './period-name.ts'
import { type Column, layerColor } from './stack.ts'

const WIDEST = 40
const FILLED = 0.74
/** Pixels for each label under the bars. */
const LABEL_WIDTH = 68

interface BarsProps {
  area: ChartArea
  columns: readonly Column[]
  span: Span
  active: number | null
}

export function Bars({ area, columns, span, active }: BarsProps) {
  const slot = area.width / columns.length
  const width = Math.max(1, Math.min(WIDEST, slot * FILLED))
  const step = Math.max(1, Math.ceil(LABEL_WIDTH / slot))
  const bottom = area.top + area.height
  return columns.map(({ day, parts }, index) => {
    const centre = area.left + (index + 0.5) * slot
    let base = 0
    return (
      <g key={day}>
        {index === active ? (
          <rect
            x={centre - slot / 2}
            y={area.top}
            width={slot}
            height={area.height}
            className="fill-sunken"
          />
        ) : null}
        {parts.map((usd, layer) => {
          const y = area.y(base + usd)
          const height = area.y(base) - y
          base += usd
          return usd > 0 ? (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its layer
              key={layer}
              data-layer={layer}
              x={centre - width / 2}
              // At least one pixel, so that any spend is visible.
              y={Math.min(y, bottom - 1)}
              width={width}
              height={Math.max(height, base === usd ? 1 : 0)}
              fill={layerColor(layer)}
            />
          ) : null
        })}
        {(columns.length - 1 - index) % step === 0 ? (
          <AxisLabel area={area} x={Math.min(centre, area.left + area.width - LABEL_WIDTH / 4)}>
            {formatPeriodShort(day, span)}
          </AxisLabel>
        ) : null}
      </g>
    )
  })
}

/** The column at `x` pixels from the left of a chart `width` pixels wide; null outside the plot area. */
export function columnAt(x: number, width: number, count: number): number | null {
  const plot = width - CHART_LEFT - CHART_RIGHT
  const index = Math.floor(((x - CHART_LEFT) / plot) * count)
  return index >= 0 && index < count ? index : null
}
