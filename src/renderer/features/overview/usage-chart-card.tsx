import { useQuery } from '@tanstack/react-query'
import { ArrowUpRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { create } from 'zustand'
import { historyIn, useHistoryChoice } from '../../../features/history/view/use-history.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { usePreviousPeriods, usePreviousSums } from '../../data/comparison.ts'
import type { DateRange } from '../../data/date-range.ts'
import { type PeriodUsage, toRange, type Unit } from '../../data/periods.ts'
import { requestsHref, type UsageSplit, usageHref } from '../../data/request-link.ts'
import { latencyIn, splitUsageIn, type Usage } from '../../data/usage.ts'
import { NAMED_SPLITS, useUsageLabel } from '../../data/usage-label.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Change, Percentile } from '../../kit/change.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount } from '../../kit/format.ts'
import { InSecondCurrency, Money, Uncharged, Unpriced } from '../../kit/money.tsx'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { getMeasure, type MeasureName, measures } from '../../parts/usage-chart/chart-measures.ts'
import {
  addHistory,
  drawLatency,
  HISTORY,
  hideSeries,
  noPlot,
  type Plot,
  stackParts,
  sumColumns,
} from '../../parts/usage-chart/plot.ts'
import { UsageChart } from '../../parts/usage-chart/usage-chart.tsx'
import type { ChartSpot } from '../../parts/usage-chart/use-chart-focus.ts'
import { capHandle, capTrial, historySum, historySwitch, LaterSelect, shareChart } from './later-parts.tsx'
import { type OverviewRange, useCapLine, useChosenUnit } from './overview-range.ts'

const splits = NAMED_SPLITS.map(({ value, label }) => ({ value, label: `by ${lowerLabel(label)}` }))

interface UsageChartCardProps {
  scope: OverviewRange
  usage: Usage | undefined
  error: ApiError | null
  onRange: (range: DateRange) => void
}

export function UsageChartCard({ scope, usage, error: usageError, onRange }: UsageChartCardProps) {
  const { range, unit, zone } = scope
  const choice = useChartChoice()
  const { measure, by } = choice
  const [, navigate] = useLocation()
  const { plot: read, error: ownError } = useChartData(choice, scope, usage)
  const error = read ? null : (ownError ?? usageError)
  const plot = read ?? noPlot
  const { hidden, toggle } = useHidden(plot.kind === 'lines' ? 'latency' : by)
  const shown = useMemo(() => hideSeries(plot, hidden), [plot, hidden])
  const { label, findFormat } = getMeasure(measure)
  const cap = useCapLine()
  const { triedUsd, limitUsd } = cap
  // Only then is the height of a column the spend of all keys in a day.
  const isCapped = measure === 'spend' && unit === 'day' && showsSpendAlone(plot, hidden)
  const capUsd = triedUsd ?? limitUsd
  const bound = isCapped && capUsd !== null ? { value: capUsd, tried: triedUsd !== null } : null
  const format = findFormat(plot.series.map(({ total }) => total ?? 0))

  const open = ({ column, series }: ChartSpot) => {
    const period = plot.columns[column]?.period
    if (!period) return
    const part = series === null || plot.kind === 'lines' ? undefined : plot.series[series]
    const within = toRange(period, period, zone)
    const href =
      part?.id === null || part?.id === HISTORY
        ? usageHref(part.id === null ? by : 'client', within)
        : requestsHref(part ? { [by]: part.id } : {}, within)
    if (href !== null) navigate(href)
  }
  const select = (from: number, to: number) => {
    const [first, last] = [plot.columns[from], plot.columns[to]]
    if (first && last) onRange(toRange(first.period, last.period, zone))
  }
  return (
    <>
      <ChartHead scope={scope} usage={usage} plot={read} shown={shown} />
      {/* Equals the height of the card next to it: the chart itself has no height. */}
      <div className="group/chart relative min-h-52 grow [@media(min-height:75rem)]:min-h-120">
        <div className="absolute inset-0 px-2 pt-2">
          {error ? (
            <div className="p-2">
              <InlineError error={error} />
            </div>
          ) : read ? (
            <UsageChart
              plot={shown}
              measure={measure}
              unit={unit}
              zone={zone}
              onOpen={open}
              onSelect={select}
              bound={bound}
            >
              {(max) => (isCapped ? <capHandle.View max={max} {...cap} /> : null)}
            </UsageChart>
          ) : (
            <Skeleton className="h-full" />
          )}
        </div>
      </div>
      {isCapped && triedUsd !== null ? <capTrial.View usd={triedUsd} onEnd={() => cap.tryUsd(null)} /> : null}
      <ChartLegend
        label={plot.kind === 'bars' ? `${label} ${getName(by)}` : label}
        plot={plot}
        hidden={hidden}
        format={format}
        onToggle={toggle}
        allHref={usageHref(by, range)}
      />
    </>
  )
}

interface ChartHeadProps {
  scope: OverviewRange
  usage: Usage | undefined
  /** Undefined until it is read. */
  plot: Plot | undefined
  /** The plot without the series that are hidden. */
  shown: Plot
}

/** What the chart shows, its sum, and how it is divided. */
function ChartHead({ scope, usage, plot, shown }: ChartHeadProps) {
  const { measure, by } = useChartChoice()
  const isDivided = plot?.kind !== 'lines'
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2">
      <h2 className="sr-only">{getMeasure(measure).label}</h2>
      <LaterSelect
        label="Measure"
        value={measure}
        options={measureOptions}
        onChange={(next) => useChartChoice.setState({ measure: next })}
        className="font-semibold"
      />
      {plot ? <ChartSum measure={measure} plot={plot} usage={usage} range={scope.range} /> : null}
      <div className="ml-auto flex items-center gap-2 max-sm:ml-0 max-sm:flex-wrap">
        {isDivided ? (
          <LaterSelect
            label="Split by"
            value={by}
            onChange={(next) => useChartChoice.setState({ by: next })}
            options={splits}
          />
        ) : null}
        <historySwitch.View />
        <UnitSelect scope={scope} />
        {usage && plot && isDivided && plot.series.length > 0 ? (
          <shareChart.View
            plot={shown}
            measure={measure}
            split={getName(by)}
            scope={scope}
            total={usage.total}
          />
        ) : null}
      </div>
    </header>
  )
}

const measureOptions = Object.keys(measures).map((name) => {
  const value = name as MeasureName
  return { value, label: measures[value].label }
})

function getName(by: UsageSplit): string {
  return splits.find(({ value }) => value === by)?.label ?? by
}

/** The ids of the series that the user hid, for one split; those of another split are other things. */
function useHidden(of: string) {
  const [state, setState] = useState<{ of: string; ids: ReadonlySet<string> }>({ of, ids: new Set() })
  const hidden = state.of === of ? state.ids : noIds
  const toggle = (id: string) => {
    const ids = new Set(hidden)
    if (!ids.delete(id)) ids.add(id)
    setState({ of, ids })
  }
  return { hidden, toggle }
}

const noIds: ReadonlySet<string> = new Set()

/** Whether the columns are all that the gateway has metered, and nothing else. */
function showsSpendAlone({ series }: Plot, hidden: ReadonlySet<string>): boolean {
  return series.every(({ id }) => (id === HISTORY) === (id !== null && hidden.has(id)))
}

const names: Record<Unit, string> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' }

/** Selects the unit that divides the chart: the one that fits the range, unless the user chooses another. */
function UnitSelect({ scope: { unit, units, automatic } }: { scope: OverviewRange }) {
  return (
    <LaterSelect
      label="Unit"
      value={unit}
      options={units.map((value) => ({ value, label: names[value] }))}
      onChange={(next) => useChosenUnit.setState({ unit: next === automatic ? null : next })}
    />
  )
}

interface ChartSumProps {
  measure: MeasureName
  plot: Plot
  usage: Usage | undefined
  range: DateRange
}

/** The number for the whole range. */
function ChartSum({ measure, plot, usage, range }: ChartSumProps) {
  const previous = usePreviousSums(range)
  const history = plot.series.find(({ id }) => id === HISTORY)
  if (measure === 'latency') {
    const [median, slow] = plot.series.map(({ total }) => total)
    if (!median || !slow) return null
    return (
      <p className="text-ink-3">
        <span className="font-medium text-ink">
          <Percentile ms={median} requests={usage ? usage.total.requests - usage.total.errors : 0} />
        </span>{' '}
        median
      </p>
    )
  }
  if (!usage) return null
  const { total } = usage
  const { getAmount, findFormat } = getMeasure(measure)
  const change =
    previous && getAmount ? (
      <Change
        now={getAmount(total)}
        before={getAmount(previous.sums)}
        format={findFormat([getAmount(previous.sums)])}
        period={previous.period}
      />
    ) : null
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-ink-3">
      {measure === 'worth' ? (
        <Uncharged sums={{ worthUsd: total.worthUsd }} className="font-medium text-ink" />
      ) : measure === 'spend' ? (
        <>
          <Money usd={total.costUsd} className="font-medium text-ink" />
          {change}
          <InSecondCurrency usd={total.costUsd} />
          <Unpriced count={total.unpriced} />
          <Uncharged sums={total} />
          {history?.total ? <historySum.View usd={history.total} /> : null}
        </>
      ) : (
        <span className="font-medium text-ink">{formatCount(getAmount?.(total) ?? 0)}</span>
      )}
      {measure === 'spend' ? null : change}
    </p>
  )
}

interface ChartLegendProps {
  label: string
  plot: Plot
  /** The ids of the series that are not drawn. */
  hidden: ReadonlySet<string>
  format: (value: number) => string
  onToggle: (id: string) => void
  /** Where all groups are listed. */
  allHref: string
}

/** The series with their sums. A press hides one or shows it again. */
function ChartLegend({ label, plot, hidden, format, onToggle, allHref }: ChartLegendProps) {
  return (
    <ul aria-label={label} className="flex min-h-9 flex-wrap gap-x-2 px-3 pt-1 pb-2 text-sm">
      {plot.series.map(({ id, label: name, total, color }) => {
        const isHidden = id !== null && hidden.has(id)
        const content = (
          <>
            <span
              aria-hidden
              className={cn('size-2 shrink-0 rounded-[2px]', isHidden && 'opacity-30')}
              style={{ background: color }}
            />
            <span className={cn('max-w-56 truncate', isHidden ? 'text-ink-3 line-through' : 'text-ink-2')}>
              {name}
            </span>
            {total === null ? null : <span className="text-ink-3 tabular-nums">{format(total)}</span>}
          </>
        )
        return (
          <li key={id ?? ''} className="flex min-w-0">
            {id === null ? (
              <Link href={allHref} className={entry} title="Show all in Usage">
                {content}
                <ArrowUpRight size={12} aria-hidden className="shrink-0 text-ink-3" />
              </Link>
            ) : (
              <button
                type="button"
                aria-pressed={!isHidden}
                title={isHidden ? `Show ${name}` : `Hide ${name}`}
                onClick={() => onToggle(id)}
                className={entry}
              >
                {content}
              </button>
            )}
          </li>
        )
      })}
      {plot.before?.some(({ value }) => value > 0) ? (
        <li className={cn(entry, 'text-ink-3 hover:bg-transparent')}>
          <span aria-hidden className="w-4 shrink-0 border-ink-3 border-t-2 border-dashed" />
          Period before
        </li>
      ) : null}
    </ul>
  )
}

const entry = 'flex min-w-0 items-center gap-1.5 rounded-sm min-h-6 px-1 py-0.5 hover:bg-sunken'

const MAX_SERIES = 5

interface ChartChoice {
  measure: MeasureName
  by: UsageSplit
}

/** The last choice, also after the view was left. */
export const useChartChoice = create<ChartChoice>()(() => ({ measure: 'spend', by: 'model' }))

interface ChartData {
  /** Undefined until something was read. */
  plot: Plot | undefined
  error: ApiError | null
}

/** The data of the chart. `usage`: that of the range, in its unit. */
function useChartData(
  { measure, by }: ChartChoice,
  scope: OverviewRange,
  usage: Usage | undefined,
): ChartData {
  const { getAmount } = getMeasure(measure)
  const past = usePreviousPeriods(scope.range, scope.unit)
  const getLabel = useUsageLabel(by)
  const latency = useQuery({ ...latencyIn(scope), enabled: getAmount === null && scope.known })
  const known = periodsBy(by, usage)
  const own = useQuery({
    ...splitUsageIn(by, scope),
    enabled: getAmount !== null && known === 'not read' && scope.known,
  })
  const parts = known === 'not read' ? own.data : known
  const isWithHistory = useHistoryChoice() === true
  const history = useQuery({ ...historyIn(scope), enabled: isWithHistory && scope.known })
  const plot = useMemo(() => {
    if (getAmount === null) return latency.data && drawLatency(latency.data.periods, latency.data.total)
    if (parts === undefined) return undefined
    const { series, ...rest } = stackParts(parts, MAX_SERIES, getAmount)
    const stack: Plot = {
      ...rest,
      ...(past ? { before: sumColumns(past, getAmount) } : {}),
      series: series.map((one) => (one.id === null ? one : { ...one, label: getLabel(one.id, one.label) })),
    }
    return history.data && isWithHistory ? addHistory(stack, history.data, getAmount) : stack
  }, [getAmount, latency.data, parts, past, getLabel, history.data, isWithHistory])
  const error = getAmount === null ? latency.error : known === 'not read' ? own.error : null
  return { plot, error: plot ? null : error }
}

/** The periods that the view has read for its other parts. */
function periodsBy(by: UsageSplit, usage: Usage | undefined): PeriodUsage[] | undefined | 'not read' {
  switch (by) {
    case 'key':
      return usage?.byKey
    case 'model':
      return usage?.byModel
    case 'client':
      return usage?.byClient
    default:
      return 'not read'
  }
}
