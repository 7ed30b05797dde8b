import { chooseUsdDecimals, formatCount, formatUsd } from '../../format.ts'
import type { Span } from '../../server-state/periods.ts'
import { formatPeriod } from './period-name.ts'
import { type Column, type Layer, layerColor } from './stack.ts'

interface PeriodTooltipProps {
  column: Column
  layers: readonly Layer[]
  span: Span
  /** The position of its bar in the chart, from 0 to 1. The tooltip goes to the side with more space. */
  position: number
}

export function PeriodTooltip({ column, layers, span, position }: PeriodTooltipProps) {
  const percent = position * 100
  const decimals = chooseUsdDecimals([column.totalUsd])
  const side =
    position > 0.5 ? { right: `calc(${100 - percent}% + 1rem)` } : { left: `calc(${percent}% + 4rem)` }
  return (
    <div
      aria-hidden
      style={side}
      className="pointer-events-none absolute top-2 z-10 min-w-44 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-float"
    >
      <p className="flex justify-between gap-4 font-medium">
        <span>{formatPeriod(column.day, span)}</span>
        <span>{formatUsd(column.totalUsd, decimals)}</span>
      </p>
      <ul className="mt-1">
        {layers.map((layer, index) =>
          (column.parts[index] ?? 0) > 0 ? (
            <li key={layer.id ?? ''} className="flex items-center gap-2">
              <span className="size-2 shrink-0 rounded-[2px]" style={{ background: layerColor(index) }} />
              <span className="max-w-48 flex-1 truncate text-ink-2">{layer.label}</span>
              <span>{formatUsd(column.parts[index] ?? 0, decimals)}</span>
            </li>
          ) : null,
        )}
      </ul>
      <p className="mt-1 text-ink-3">
        {formatCount(column.requests)} {column.requests === 1 ? 'request' : 'requests'}
      </p>
    </div>
  )
}
