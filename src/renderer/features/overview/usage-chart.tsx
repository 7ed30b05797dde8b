import { memo, useMemo } from 'react'
import type { Period, Unit } from '../../data/periods.ts'
import { AxisLabel, type ChartArea, ChartFrame } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { roundTicks } from '../../kit/ticks.ts'
import { getMeasure, type MeasureName } from './chart-measures.ts'
import { formatPeriod, formatPeriodShort, isLabeled } from './period-name.ts'
import { PeriodTooltip } from './period-tooltip.tsx'
import { type Column, computeHeight, type Plot, seriesColor } from './plot.ts'
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

interface LinesProps {
  area: ChartArea
  columns: readonly Column[]
  seriesCount: number
}

/** A line for each series, interrupted where it has no point. */
function Lines({ area, columns, seriesCount }: LinesProps) {
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

const WIDEST = 40
const FILLED = 0.74

interface BarsProps {
  area: ChartArea
  columns: readonly Column[]
  /** The part under the pointer or chosen by keyboard; the others of its column are dimmed. */
  active: { column: number; series: number | null } | null
}

function Bars({ area, columns, active }: BarsProps) {
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

/** Pixels for each label under the columns. */
const LABEL_WIDTH = 68

interface PeriodAxisProps {
  area: ChartArea
  periods: readonly Period[]
  unit: Unit
  zone: string
}

function PeriodAxis({ area, periods, unit, zone }: PeriodAxisProps) {
  const slot = area.width / periods.length
  const step = Math.max(1, Math.ceil(LABEL_WIDTH / slot))
  const rightmost = area.left + area.width - LABEL_WIDTH / 4
  return periods.map((period, index) =>
    isLabeled(periods, index, step, unit, zone) ? (
      <AxisLabel key={period.group} area={area} x={Math.min(area.left + (index + 0.5) * slot, rightmost)}>
        {formatPeriodShort(period, unit, zone)}
      </AxisLabel>
    ) : null,
  )
}

interface ColumnBandProps {
  area: ChartArea
  count: number
  first: number
  last: number
  className: string
}

/** The background of the columns from `first` to `last`. */
function ColumnBand({ area, count, first, last, className }: ColumnBandProps) {
  const slot = area.width / count
  return (
    <rect
      x={area.left + first * slot}
      y={area.top}
      width={(last - first + 1) * slot}
      height={area.height}
      className={className}
    />
  )
}

interface ChartTableProps {
  plot: Plot
  caption: string
  unit: Unit
  zone: string
  format: (value: number) => string
}

/** The numbers of a chart for screen readers. */
const ChartTable = memo(function ChartTable({ plot, caption, unit, zone, format }: ChartTableProps) {
  const { kind, series, columns } = plot
  return (
    // A table is as large as its content whatever its size says, and would make the page scroll.
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {kind === 'bars' ? <th scope="col">Total</th> : null}
            {series.map(({ id, label }) => (
              <th key={id ?? ''} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.period.group}>
              <th scope="row">{formatPeriod(column.period, unit, zone)}</th>
              {kind === 'bars' ? <td>{format(computeHeight(column, kind))}</td> : null}
              {series.map(({ id }, index) => (
                <td key={id ?? ''}>{formatOrNone(column.values[index], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
})

function formatOrNone(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}
