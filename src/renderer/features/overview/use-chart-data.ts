import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { create } from 'zustand'
import type { UsageSplit } from '../../data/request-link.ts'
import { latencyIn, splitUsageIn, type Usage } from '../../data/usage.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import type { PeriodUsage } from '../../data/usage-periods.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { getMeasure, type MeasureName } from './chart-measures.ts'
import { drawLatency, type Plot, stackParts } from './plot.ts'
import type { OverviewRange } from './use-overview-range.ts'

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
export function useChartData(
  { measure, by }: ChartChoice,
  scope: OverviewRange,
  usage: Usage | undefined,
): ChartData {
  const { getAmount } = getMeasure(measure)
  const getLabel = useUsageLabel(by)
  const latency = useQuery({ ...latencyIn(scope), enabled: getAmount === null && scope.known })
  const known = periodsBy(by, usage)
  const own = useQuery({
    ...splitUsageIn(by, scope),
    enabled: getAmount !== null && known === 'not read' && scope.known,
  })
  const parts = known === 'not read' ? own.data : known
  const plot = useMemo(() => {
    if (getAmount === null) return latency.data && drawLatency(latency.data.periods, latency.data.total)
    if (parts === undefined) return undefined
    const { series, ...rest } = stackParts(parts, MAX_SERIES, getAmount)
    return {
      ...rest,
      series: series.map((one) => (one.id === null ? one : { ...one, label: getLabel(one.id, one.label) })),
    }
  }, [getAmount, latency.data, parts, getLabel])
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
