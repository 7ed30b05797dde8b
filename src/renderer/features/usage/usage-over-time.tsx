// The chart above the table, divided like its rows. It shows the measure by which they are sorted.

import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { usePreviousPeriods } from '../../data/comparison.ts'
import type { DateRange } from '../../data/date-range.ts'
import { type PeriodUsage, toRange, type Unit } from '../../data/periods.ts'
import { requestsHref, type UsageFilter, type UsageSplit } from '../../data/request-link.ts'
import { Skeleton } from '../../kit/notice.tsx'
import { getMeasure, type MeasureName } from '../../parts/usage-chart/chart-measures.ts'
import { addHistory, HISTORY, type Plot, stackParts, sumColumns } from '../../parts/usage-chart/plot.ts'
import { UsageChart } from '../../parts/usage-chart/usage-chart.tsx'
import type { ChartSpot } from '../../parts/usage-chart/use-chart-focus.ts'
import type { ColumnId, NameOf } from './usage-row.ts'

/** The series with a color of their own; all others share the next one. */
export const MAX_SERIES = 5

interface PlotQuery {
  periods: readonly PeriodUsage[] | undefined
  sortedBy: ColumnId
  getName: NameOf
  range: DateRange
  unit: Unit
  /** Whether the periods have all requests, as those of the range before do. */
  isWhole: boolean
  /** Imported calls of agents; undefined where they are not shown. */
  history: readonly PeriodUsage[] | undefined
}

/** Undefined until the periods are read. */
export function useUsagePlot({ periods, sortedBy, getName, range, unit, isWhole, history }: PlotQuery) {
  const measure = findMeasure(sortedBy)
  const past = usePreviousPeriods(range, unit)
  const plot = useMemo((): Plot | undefined => {
    const { getAmount } = getMeasure(measure)
    if (!periods || !getAmount) return undefined
    const { series, ...rest } = stackParts(periods, MAX_SERIES, getAmount)
    const stack: Plot = {
      ...rest,
      ...(past && isWhole && { before: sumColumns(past, getAmount) }),
      series: series.map((one) => (one.id === null ? one : { ...one, label: getName(one.id, one.label) })),
    }
    return history ? addHistory(stack, history, getAmount) : stack
  }, [periods, past, isWhole, measure, getName, history])
  return { measure, plot }
}

function findMeasure(column: ColumnId): MeasureName {
  switch (column) {
    case 'requests':
    case 'errors':
      return column
    case 'tokensIn':
    case 'tokensOut':
    case 'cached':
      return 'tokens'
    default:
      return 'spend'
  }
}

interface UsageOverTimeProps {
  plot: Plot | undefined
  measure: MeasureName
  split: UsageSplit
  unit: Unit
  zone: string
  filter: UsageFilter
  onRange: (range: DateRange) => void
}

export function UsageOverTime({ plot, measure, split, unit, zone, filter, onRange }: UsageOverTimeProps) {
  const [, navigate] = useLocation()
  const open = ({ column, series }: ChartSpot) => {
    const period = plot?.columns[column]?.period
    if (!period) return
    const id = series === null ? null : (plot.series[series]?.id ?? null)
    if (id === HISTORY) return
    const href = requestsHref(
      id === null ? filter : { ...filter, [split]: id },
      toRange(period, period, zone),
    )
    if (href !== null) navigate(href)
  }
  const select = (from: number, to: number) => {
    const [first, last] = [plot?.columns[from], plot?.columns[to]]
    if (first && last) onRange(toRange(first.period, last.period, zone))
  }
  return (
    // A low window has no space for more than the rows.
    <div className="relative h-48 shrink-0 bg-surface border-line border-b max-sm:h-36 [@media(max-height:40rem)]:hidden [@media(min-height:75rem)]:h-80">
      <div className="absolute inset-0 px-4 pt-3 max-sm:px-1">
        {plot ? (
          <UsageChart plot={plot} measure={measure} unit={unit} zone={zone} onOpen={open} onSelect={select} />
        ) : (
          <Skeleton className="h-full" />
        )}
      </div>
    </div>
  )
}
