import type { Unit } from '../../data/periods.ts'
import { formatCount } from '../../kit/format.ts'
import { formatPeriod } from './period-name.ts'
import { type Column, computeHeight, type Plot, seriesColor } from './plot.ts'

interface PeriodTooltipProps {
  plot: Plot
  column: Column
  /** The part that is under the pointer. */
  series: number | null
  unit: Unit
  zone: string
  formatAll: (values: readonly number[]) => (value: number) => string
  /** The position of its column in the chart, from 0 to 1. The tooltip goes to the side with more space. */
  position: number
}

export function PeriodTooltip({ plot, column, series, unit, zone, formatAll, position }: PeriodTooltipProps) {
  const percent = position * 100
  const total = computeHeight(column, plot.kind)
  const format = formatAll([total])
  const side =
    position > 0.5 ? { right: `calc(${100 - percent}% + 1rem)` } : { left: `calc(${percent}% + 4rem)` }
  // The rows from the top of the stack to its bottom.
  const rows = plot.series
    .map((one, index) => ({ ...one, index, value: column.values[index] ?? 0 }))
    .toReversed()
  return (
    <div
      aria-hidden
      style={side}
      className="pointer-events-none absolute top-2 z-10 min-w-44 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-float"
    >
      <p className="flex justify-between gap-4 font-medium">
        <span>{formatPeriod(column.period, unit, zone)}</span>
        {plot.kind === 'bars' ? <span className="tabular-nums">{format(total)}</span> : null}
      </p>
      <ul className="mt-1">
        {rows.map(({ id, label, index, value }) =>
          value > 0 ? (
            <li
              key={id ?? ''}
              className={`flex items-center gap-2 ${index === series ? 'font-medium text-ink' : 'text-ink-2'}`}
            >
              <span
                className="size-2 shrink-0 rounded-[2px]"
                style={{ background: seriesColor(index, plot.kind) }}
              />
              <span className="max-w-48 flex-1 truncate">{label}</span>
              <span className="text-ink tabular-nums">{format(value)}</span>
            </li>
          ) : null,
        )}
      </ul>
      <p className="mt-1 text-ink-3">{describeRequests(column)}</p>
    </div>
  )
}

function describeRequests({ requests, unpriced }: Column): string {
  const count = `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`
  return unpriced > 0 ? `${count}, ${formatCount(unpriced)} without a price` : count
}
