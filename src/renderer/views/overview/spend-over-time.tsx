// Owns the card of spend over time: which periods, split by what. The chart comes in its own bundle; its place is held.
import { lazy, Suspense, useEffect, useMemo } from 'react'
import { Link } from 'wouter'
import { Money } from '../../components/money.tsx'
import { InlineError, Skeleton } from '../../components/notice.tsx'
import { Segments } from '../../components/segments.tsx'
import { useTimeZone } from '../../stores/account.ts'
import { type SplitBy, useSpendSeries } from '../../stores/spend-series.ts'
import { useUsage } from '../../stores/usage.ts'
import { layerColour, type Stack, stack } from './stack.ts'

const SpendChart = lazy(() => import('./spend-chart.tsx'))
const MOST_LAYERS = 5

export function SpendOverTime() {
  const { state, error, span, by, periods, choose, refresh } = useSpendSeries()
  const timeZone = useTimeZone()
  // New sums mean that something was spent; only the period that runs is asked for again.
  const total = useUsage((store) => store.total)
  const summed = useUsage((store) => store.state !== 'first')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new total is the reason to refresh
  useEffect(() => {
    if (timeZone && summed) void refresh()
  }, [timeZone, summed, total, refresh])
  const data = useMemo(() => stack(periods, MOST_LAYERS), [periods])
  const sum = data.columns.reduce((usd, column) => usd + column.totalUsd, 0)
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2">
        <h2 className="font-semibold">Spend</h2>
        {periods.length > 0 ? (
          <p className="text-ink-3">
            <Money usd={sum} className="font-medium text-ink" /> in{' '}
            {span === 'day' ? '30 days' : span === 'week' ? '12 weeks' : '12 months'}
          </p>
        ) : null}
        <div className="ml-auto flex items-center gap-2">
          <Segments
            label="Split by"
            value={by}
            onChange={(next) => void choose({ by: next })}
            options={[
              { value: 'model', label: 'Model' },
              { value: 'key', label: 'Key' },
            ]}
          />
          <Segments
            label="Period"
            value={span}
            onChange={(next) => void choose({ span: next })}
            options={[
              { value: 'day', label: 'Day' },
              { value: 'week', label: 'Week' },
              { value: 'month', label: 'Month' },
            ]}
          />
        </div>
      </header>
      <div className="h-52 px-2 pt-2">
        {state === 'failed' ? (
          <div className="p-2">
            <InlineError error={error} />
          </div>
        ) : (
          <Suspense fallback={null}>
            {periods.length > 0 ? <SpendChart data={data} span={span} /> : <Skeleton className="h-full" />}
          </Suspense>
        )}
      </div>
      <Legend data={data} by={by} />
    </>
  )
}

function Legend({ data, by }: { data: Stack; by: SplitBy }) {
  return (
    <ul
      aria-label={`Spend by ${by}`}
      className="flex min-h-9 flex-wrap gap-x-4 gap-y-1 px-4 pt-1 pb-3 text-sm"
    >
      {data.layers.map((layer, index) => (
        <li key={layer.id ?? ''} className="flex min-w-0 items-center gap-1.5">
          <span
            aria-hidden
            className="size-2 shrink-0 rounded-[2px]"
            style={{ background: layerColour(index) }}
          />
          {layer.id === null ? (
            <span className="text-ink-2">{layer.label}</span>
          ) : (
            <Link
              href={`/requests?${by}=${encodeURIComponent(layer.id)}`}
              className="max-w-56 truncate text-ink-2 hover:text-ink hover:underline"
            >
              {layer.label}
            </Link>
          )}
          <Money usd={layer.totalUsd} className="text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
