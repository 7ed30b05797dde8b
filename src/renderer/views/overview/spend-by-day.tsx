// Owns the card with the spend of the last 30 days. The chart comes in its own bundle; its place is held meanwhile.
import { lazy, Suspense } from 'react'
import { Money } from '../../components/money.tsx'
import { CardHead } from '../../components/page.tsx'
import { formatCount } from '../../format.ts'
import { useUsage } from '../../stores/usage.ts'

const DayChart = lazy(() => import('./day-chart.tsx'))

export function SpendByDay() {
  const { days, total } = useUsage()
  return (
    <>
      <CardHead title="Spend by day">
        <span>
          <Money usd={total.costUsd} className="font-medium text-ink" /> in {formatCount(total.requests)}{' '}
          {total.requests === 1 ? 'request' : 'requests'},{' '}
          {formatCount(total.tokensIn + total.tokensOut, true)} tokens
        </span>
      </CardHead>
      <div className="h-52 px-2 pt-2 pb-2">
        <Suspense fallback={null}>{days.length > 0 ? <DayChart days={days} /> : null}</Suspense>
      </div>
    </>
  )
}
