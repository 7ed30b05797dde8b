import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { DateRange } from '../../data/date-range.ts'
import { toRange } from '../../data/periods.ts'
import { requestsHref, type UsageSplit, usageHref } from '../../data/request-link.ts'
import type { Usage } from '../../data/usage.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ChartLegend } from './chart-legend.tsx'
import { getMeasure, type MeasureName, measures } from './chart-measures.ts'
import { ChartSum } from './chart-sum.tsx'
import { hideSeries, noPlot } from './plot.ts'
import { UnitSelect } from './unit-select.tsx'
import { UsageChart } from './usage-chart.tsx'
import { useChartChoice, useChartData } from './use-chart-data.ts'
import type { ChartSpot } from './use-chart-focus.ts'
import type { OverviewRange } from './use-overview-range.ts'

const splits = [
  { value: 'model', label: 'by model' },
  { value: 'key', label: 'by key' },
  { value: 'provider', label: 'by provider' },
  { value: 'client', label: 'by tool' },
  { value: 'tag', label: 'by project' },
  { value: 'session', label: 'by session' },
] as const satisfies { value: UsageSplit; label: string }[]

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
  const format = findFormat(plot.series.map(({ total }) => total ?? 0))

  const open = ({ column, series }: ChartSpot) => {
    const period = plot.columns[column]?.period
    if (!period) return
    const part = series === null || plot.kind === 'lines' ? undefined : plot.series[series]
    const within = toRange(period, period, zone)
    const href =
      part?.id === null ? usageHref(by, within) : requestsHref(part ? { [by]: part.id } : {}, within)
    if (href !== null) navigate(href)
  }
  const select = (from: number, to: number) => {
    const [first, last] = [plot.columns[from], plot.columns[to]]
    if (first && last) onRange(toRange(first.period, last.period, zone))
  }
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2">
        <h2 className="sr-only">{label}</h2>
        <Select
          small
          label="Measure"
          value={measure}
          options={measureOptions}
          onChange={(next) => useChartChoice.setState({ measure: next })}
          className="font-semibold"
        />
        {read ? <ChartSum measure={measure} plot={plot} usage={usage} /> : null}
        <div className="ml-auto flex items-center gap-2 max-sm:ml-0 max-sm:flex-wrap">
          {plot.kind === 'bars' ? (
            <Select
              small
              label="Split by"
              value={by}
              onChange={(next) => useChartChoice.setState({ by: next })}
              options={splits}
            />
          ) : null}
          <UnitSelect scope={scope} />
        </div>
      </header>
      {/* Equals the height of the card next to it: the chart itself has no height. */}
      <div className="relative min-h-52 grow [@media(min-height:75rem)]:min-h-120">
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
            />
          ) : (
            <Skeleton className="h-full" />
          )}
        </div>
      </div>
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
