import type { Account } from '../../../shared/api/account.ts'
import { LAST_30_DAYS } from '../../data/date-range.ts'
import { useDateRange } from '../../data/use-date-range.ts'
import { Card } from '../../kit/page.tsx'
import { Caps } from './caps.tsx'
import { PlansCard } from './plans-card.tsx'
import { TopLists } from './top-lists.tsx'
import { UsageChartCard } from './usage-chart-card.tsx'
import { useOverviewRange, useOverviewUsage } from './use-overview-range.ts'

/** The parts that depend on the chosen range, and the caps. */
export function OverviewDetails({ account }: { account: Account | null }) {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  const scope = useOverviewRange(range)
  const usage = useOverviewUsage(scope)
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3" aria-busy={usage.stale}>
      <Card className="flex min-w-0 flex-col sm:col-span-2">
        <UsageChartCard scope={scope} usage={usage.data} error={usage.error} onRange={setRange} />
      </Card>
      <Card>
        <Caps account={account} />
      </Card>
      <PlansCard />
      <TopLists scope={scope} usage={usage.data} failed={usage.error !== null} />
    </div>
  )
}
