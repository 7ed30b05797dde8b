import { Link } from 'wouter'
import { hasSamplePrices, sumBilled } from '../../../shared/api/terms.ts'
import { useRunning } from '../../data/running.ts'
import { formatCount, formatUsd } from '../../kit/format.ts'

/** The cost of the running requests so far. Sample costs are in no sum. */
export function RunningSum() {
  const running = useRunning()
  if (running.length === 0) return null
  const billed = running.filter(({ provider }) => !hasSamplePrices(provider))
  const reservedUsd = billed.reduce((sum, each) => sum + each.reservedUsd, 0)
  return (
    <Link href="/requests?status=running" className="target text-accent-ink tabular-nums hover:underline">
      {`${formatCount(running.length)} running`}
      {billed.length > 0 ? ` · ${formatUsd(sumBilled(billed))} so far ` : ''}
      {/* In a narrow card it would add a line, which would move all below whenever requests run. */}
      {reservedUsd > 0 ? (
        <span className="max-xl:sr-only">{`· ${formatUsd(reservedUsd)} reserved`}</span>
      ) : null}
    </Link>
  )
}
