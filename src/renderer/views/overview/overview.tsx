import { useQuery } from '@tanstack/react-query'
import { DateRangePicker } from '../../components/date-range-picker.tsx'
import { LoadError } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { LAST_30_DAYS } from '../../server-state/date-range.ts'
import { queries } from '../../server-state/queries.ts'
import { useDateRange } from '../../server-state/use-date-range.ts'
import { Caps } from './caps.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SpendCards } from './spend-cards.tsx'
import { TopLists } from './top-lists.tsx'
import { UsageChartCard } from './usage-chart-card.tsx'
import { useOverviewRange, useOverviewUsage } from './use-overview-range.ts'

export function Overview() {
  const { data: account = null, error, isLoadingError, refetch } = useQuery(queries.account)
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  const scope = useOverviewRange(range)
  const usage = useOverviewUsage(scope)
  return (
    <Page title="Overview" actions={<DateRangePicker range={range} onChange={setRange} />}>
      {isLoadingError ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          <FirstSteps />
          <SpendCards account={account} />
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3" aria-busy={usage.stale}>
            <Card className="flex min-w-0 flex-col sm:col-span-2">
              <UsageChartCard scope={scope} usage={usage.data} error={usage.error} onRange={setRange} />
            </Card>
            <Card>
              <Caps account={account} />
            </Card>
            <TopLists scope={scope} usage={usage.data} failed={usage.error !== null} />
          </div>
        </div>
      )}
    </Page>
  )
}
