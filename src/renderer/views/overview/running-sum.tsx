import { Link } from 'wouter'
import { formatCount, formatUsd } from '../../format.ts'
import { useRunning } from '../../server-state/running.ts'

/** What the running requests have cost so far. */
export function RunningSum() {
  const running = useRunning()
  if (running.length === 0) return null
  const costUsd = running.reduce((sum, each) => sum + (each.costUsd ?? 0), 0)
  const reservedUsd = running.reduce((sum, each) => sum + each.reservedUsd, 0)
  return (
    <Link href="/requests?status=running" className="target text-accent-ink tabular-nums hover:underline">
      {formatCount(running.length)} running · {formatUsd(costUsd)} so far
      {reservedUsd > 0 ? ` · ${formatUsd(reservedUsd)} reserved` : ''}
    </Link>
  )
}
