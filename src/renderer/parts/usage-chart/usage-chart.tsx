import { memo, type ReactNode, useMemo } from 'react'
import type { Period, Unit } from '../../data/periods.ts'
import { AxisLabel, type ChartArea, ChartFrame, roundTicks } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatQuantity } from '../../kit/format.ts'
import { getMeasure, type MeasureName } from './chart-measures.ts'
import { Bars, Bound, Lines, PastLine } from './marks.tsx'
import { formatPeriod, formatPeriodShort, isLabeled } from './period-name.ts'
import { type Column, computeHeight, type PastColumn, type Plot } from './plot.ts'
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
  /** A value up to which columns may reach; what is above it is marked while it is tried. */
  bound?: { value: number; tried: boolean } | null
  /** Draws over the chart. `max`: the value at its top. */
  children?: (max: number) => ReactNode
}

/** Stacked bars or lines. A table with the same numbers is there for screen readers. */
export function UsageChart(props: UsageChartProps) {
  const { plot, measure, unit, zone, onOpen, onSelect, bound = null, children } = props
  const { kind, series, columns, before } = plot
  const { label, none, findFormat, createTickFormat, whole } = getMeasure(measure)
  const { active, selected, handlers } = useChartFocus({ columns, onOpen, onSelect })
  const isEmpty = series.length === 0
  const { ticks, formatTick, format } = useMemo(() => {
    const heights = columns.map((column) => computeHeight(column, kind))
    const past = before?.slice(0, columns.length).map(({ value }) => value) ?? []
    const steps = roundTicks(Math.max(0, ...heights, ...past), whole)
    return { ticks: steps, formatTick: createTickFormat(steps), format: findFormat(heights) }
  }, [columns, before, kind, whole, createTickFormat, findFormat])
  const max = ticks.at(-1) ?? 1
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
                <>
                  <Bars area={area} series={series} columns={columns} active={active} />
                  {before ? <PastLine area={area} before={before} count={columns.length} /> : null}
                  {bound && bound.value <= max ? <Bound area={area} columns={columns} {...bound} /> : null}
                </>
              ) : (
                <Lines area={area} series={series} columns={columns} />
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
            past={before?.[active.column]}
            position={(active.column + 0.5) / columns.length}
          />
        ) : null}
      </div>
      {isEmpty ? null : children?.(max)}
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
  const { kind, series, columns, before } = plot
  return (
    // A table is as large as its content whatever its size says, and would make the page scroll.
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {kind === 'bars' ? <th scope="col">Total</th> : null}
            {before ? <th scope="col">Period before</th> : null}
            {series.map(({ id, label }) => (
              <th key={id ?? ''} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map((column, index) => (
            <tr key={column.period.group}>
              <th scope="row">{formatPeriod(column.period, unit, zone)}</th>
              {kind === 'bars' ? <td>{format(computeHeight(column, kind))}</td> : null}
              {before ? <td>{formatOrNone(before[index]?.value, format)}</td> : null}
              {series.map(({ id }, place) => (
                <td key={id ?? ''}>{formatOrNone(column.values[place], format)}</td>
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

interface PeriodTooltipProps {
  plot: Plot
  column: Column
  /** The part that is under the pointer. */
  series: number | null
  unit: Unit
  zone: string
  /** The column of the period before at the same place. */
  past: PastColumn | undefined
  formatAll: (values: readonly number[]) => (value: number) => string
  /** The position of its column in the chart, from 0 to 1. The tooltip goes to the side with more space. */
  position: number
}

function PeriodTooltip({ plot, column, series, unit, zone, past, formatAll, position }: PeriodTooltipProps) {
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
        {rows.map(({ id, label, color, index, value }) =>
          value > 0 ? (
            <li
              key={id ?? ''}
              className={`flex items-center gap-2 ${index === series ? 'font-medium text-ink' : 'text-ink-2'}`}
            >
              <span className="size-2 shrink-0 rounded-[2px]" style={{ background: color }} />
              <span className="max-w-48 flex-1 truncate">{label}</span>
              <span className="text-ink tabular-nums">{format(value)}</span>
            </li>
          ) : null,
        )}
      </ul>
      <p className="mt-1 text-ink-3">{describeRequests(column)}</p>
      {past ? (
        <p className="flex justify-between gap-4 text-ink-3">
          <span>{formatPeriod(past.period, unit, zone)}</span>
          <span className="tabular-nums">{format(past.value)}</span>
        </p>
      ) : null}
    </div>
  )
}

function describeRequests({ requests, unpriced }: Column): string {
  const count = formatQuantity(requests, 'request')
  return unpriced > 0 ? `${count}, ${formatCount(unpriced)} without a price` : count
}
