import { useMemo } from 'react'
import { Link } from 'wouter'
import { Money } from '../../components/money.tsx'
import { InlineError, Skeleton } from '../../components/notice.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { chooseUsdDecimals } from '../../format.ts'
import { SpendChart } from './spend-chart.tsx'
import { layerColor, type Stack, stackLayers } from './stack.ts'
import { type SplitBy, useSpendChoice, useSpendSeries } from './use-spend-series.ts'

const MOST_LAYERS = 5

const periodLabels = { day: '30 days', week: '12 weeks', month: '12 months' } as const

export function SpendOverTime() {
  const choice = useSpendChoice()
  const { data: shown, error } = useSpendSeries(choice)
  const data = useMemo(() => stackLayers(shown?.periods ?? [], MOST_LAYERS), [shown])
  const sum = data.columns.reduce((usd, column) => usd + column.totalUsd, 0)
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2">
        <h2 className="font-semibold">Spend</h2>
        {shown ? (
          <p className="text-ink-3">
            <Money usd={sum} className="font-medium text-ink" /> in {periodLabels[shown.span]}
          </p>
        ) : null}
        <div className="ml-auto flex items-center gap-2">
          <SegmentedControl
            label="Split by"
            value={choice.by}
            onChange={(by) => useSpendChoice.setState({ by })}
            options={[
              { value: 'model', label: 'Model' },
              { value: 'key', label: 'Key' },
            ]}
          />
          <SegmentedControl
            label="Period"
            value={choice.span}
            onChange={(span) => useSpendChoice.setState({ span })}
            options={[
              { value: 'day', label: 'Day' },
              { value: 'week', label: 'Week' },
              { value: 'month', label: 'Month' },
            ]}
          />
        </div>
      </header>
      {/* As high as the card beside it: the chart itself has no height. */}
      <div className="relative min-h-52 grow">
        <div className="absolute inset-0 px-2 pt-2">
          {error ? (
            <div className="p-2">
              <InlineError error={error} />
            </div>
          ) : shown ? (
            <SpendChart data={data} span={shown.span} />
          ) : (
            <Skeleton className="h-full" />
          )}
        </div>
      </div>
      <Legend data={data} by={shown?.by ?? choice.by} />
    </>
  )
}

function Legend({ data, by }: { data: Stack; by: SplitBy }) {
  const decimals = chooseUsdDecimals(data.layers.map(({ totalUsd }) => totalUsd))
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
            style={{ background: layerColor(index) }}
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
          <Money usd={layer.totalUsd} decimals={decimals} className="text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
