import type { Usage } from '../../data/usage.ts'
import type { UsageSums } from '../../data/usage-periods.ts'
import { formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Percentile } from '../../kit/percentile.tsx'
import { Unpriced } from '../../kit/unpriced.tsx'
import type { MeasureName } from './chart-measures.ts'
import type { Plot } from './plot.ts'

/** The number for the whole range. */
export function ChartSum({
  measure,
  plot,
  usage,
}: {
  measure: MeasureName
  plot: Plot
  usage: Usage | undefined
}) {
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
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-ink-3">
      {measure === 'spend' ? (
        <>
          <Money usd={total.costUsd} className="font-medium text-ink" />
          <Unpriced count={total.unpriced} />
        </>
      ) : (
        <span className="font-medium text-ink">{formatCount(countOf[measure](total))}</span>
      )}
    </p>
  )
}

const countOf: Record<Exclude<MeasureName, 'spend' | 'latency'>, (sums: UsageSums) => number> = {
  tokens: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
  requests: ({ requests }) => requests,
  errors: ({ errors }) => errors,
}
