import { useMemo } from 'react'
import type { Period, Unit } from '../../data/periods.ts'
import { ChartFrame } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { roundTicks } from '../../kit/ticks.ts'
import { Bars } from './bars.tsx'
import { getMeasure, type MeasureName } from './chart-measures.ts'
import { ChartTable } from './chart-table.tsx'
import { Lines } from './lines.tsx'
import { ColumnBand, PeriodAxis } from './period-axis.tsx'
import { formatPeriod } from './period-name.ts'
import { PeriodTooltip } from './period-tooltip.tsx'
import { computeHeight, type Plot } from './plot.ts'
import { type ChartSpot, useChartFocus } from './use-chart-focus.ts'

interface UsageChartProps {
  plot: Plot
  measure: MeasureName
  unit: Unit
  zone: string
  /** A part of a column, or a whole column, was clicked. */
  onOpen: (spot: ChartSpot) => void
  /** Columns were selected by dragging. */
  onSelect: (first: number, last: number) => void
}

/** Stacked bars or lines. A table with the same numbers is there for screen readers. */
export function UsageChart({ plot, measure, unit, zone, onOpen, onSelect }: UsageChartProps) {
  const { kind, series, columns } = plot
  const { label, none, findFormat, createTickFormat, whole } = getMeasure(measure)
  const { active, selected, handlers } = useChartFocus({ columns, onOpen, onSelect })
  const isEmpty = series.length === 0
  const { ticks, formatTick, format } = useMemo(() => {
    const heights = columns.map((column) => computeHeight(column, kind))
    const steps = roundTicks(Math.max(0, ...heights), whole)
    return { ticks: steps, formatTick: createTickFormat(steps), format: findFormat(heights) }
  }, [columns, kind, whole, createTickFormat, findFormat])
  const column = active === null ? undefined : columns[active.column]
  const part = active === null || active.series === null ? undefined : series[active.series]
  const title = `${label} over time`
  const getName = (period: Period) => formatPeriod(period, unit, zone)

  const announce = () => {
    const [first, last] = [columns[selected?.first ?? -1], columns[selected?.last ?? -1]]
    if (first && last) return `From ${getName(first.period)} to ${getName(last.period)}`
    if (!column || active === null) return ''
    const sum = kind === 'bars' ? `: ${format(computeHeight(column, kind))}` : ''
    const value = active.series === null ? null : column.values[active.series]
    return `${getName(column.period)}${sum}${part && value ? `, ${part.label} ${format(value)}` : ''}`
  }
  return (
    <figure className="relative h-full" aria-label={title}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, these are figures */}
      <div
        role="group"
        aria-label={`${label} by period. Left and right move between periods, up and down between their parts. Enter opens the requests. Shift with left or right selects a range.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what the pointer shows
        tabIndex={0}
        className={cn(
          'absolute inset-0 touch-pan-y select-none rounded-md -outline-offset-2',
          active !== null && 'cursor-pointer',
        )}
        {...handlers}
      >
        <ChartFrame ticks={ticks} tickLabel={(value) => (isEmpty ? '' : formatTick(value))}>
          {(area) => (
            <>
              {active !== null && selected === null ? (
                <ColumnBand
                  area={area}
                  count={columns.length}
                  first={active.column}
                  last={active.column}
                  className="fill-sunken"
                />
              ) : null}
              {selected ? (
                <ColumnBand area={area} count={columns.length} {...selected} className="fill-accent-soft" />
              ) : null}
              {kind === 'bars' ? (
                <Bars area={area} columns={columns} active={active} />
              ) : (
                <Lines area={area} columns={columns} seriesCount={series.length} />
              )}
              <PeriodAxis area={area} periods={columns.map(({ period }) => period)} unit={unit} zone={zone} />
            </>
          )}
        </ChartFrame>
        {column && active !== null && selected === null ? (
          <PeriodTooltip
            plot={plot}
            column={column}
            series={active.series}
            unit={unit}
            zone={zone}
            formatAll={findFormat}
            position={(active.column + 0.5) / columns.length}
          />
        ) : null}
      </div>
      {isEmpty ? (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center pb-6 pl-16 text-ink-3">
          {none}
        </p>
      ) : null}
      <ChartTable plot={plot} caption={title} unit={unit} zone={zone} format={format} />
      <p aria-live="polite" className="sr-only">
        {announce()}
      </p>
    </figure>
  )
}
