import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Account } from '../../../shared/api/account.ts'
import { queries } from '../../data/queries.ts'
import { emptyUsage, monthTotals, sumRecent } from '../../data/usage.ts'
import type { UsageSums } from '../../data/usage-periods.ts'
import { formatCount, formatDay, formatUsd } from '../../kit/format.ts'
import { laterView } from '../../kit/lazy-view.tsx'
import { Money } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import { Unpriced } from '../../kit/unpriced.tsx'
import { useNow } from '../../kit/use-now.ts'
import { AccountLimit } from './account-limit.tsx'
import { forecast } from './projection.ts'

const runningSum = laterView(
  async () => (await import('./running-sum.tsx')).RunningSum,
  () => null,
)

export function SpendCards({ account }: { account: Account | null }) {
  const { data: today } = useQuery({ ...queries.usage, select: (usage) => usage.today })
  const { data: month } = useQuery({
    ...monthTotals(account?.monthStartsAt ?? '', account?.timeZone ?? 'UTC'),
    enabled: account !== null,
  })
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <Figure title="Today" usd={account?.todaySpendUsd} sums={today}>
        <runningSum.View />
      </Figure>
      <Figure title="This month" usd={account?.monthSpendUsd} sums={month}>
        {account ? <MonthForecast account={account} /> : null}
      </Figure>
      <AccountLimit account={account} />
    </div>
  )
}

/** The cost of the month if spending continues as in the last 7 days. */
function MonthForecast({ account }: { account: Account }) {
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const now = useNow()
  const { monthSpendUsd, monthResetsAt, timeZone } = account
  const recentUsd = sumRecent(usage)
  if (recentUsd <= 0) return `Resets ${formatDay(monthResetsAt, now, timeZone)}`
  const endMs = Date.parse(monthResetsAt)
  const usd = forecast({ spentUsd: monthSpendUsd, recentUsd, sinceMs: usage.recentFromMs, nowMs: now, endMs })
  const lastDay = formatDay(new Date(endMs - 1).toISOString(), now, timeZone)
  return <span title="At the rate of the last 7 days">{`About ${formatUsd(usd)} by ${lastDay}`}</span>
}

interface FigureProps {
  title: string
  /** Undefined while it is read. */
  usd: number | undefined
  sums: UsageSums | undefined
  /** A second line. */
  children?: ReactNode
}

function Figure({ title, usd, sums, children }: FigureProps) {
  return (
    <Card className="flex min-h-31 flex-col p-4">
      <h2 className="font-medium text-ink-3 text-sm">{title}</h2>
      {usd === undefined ? (
        <Skeleton className="mt-2 h-7 w-32" />
      ) : (
        <p className="mt-1 flex flex-wrap items-baseline gap-x-2 font-semibold text-xl">
          <Money usd={usd} />
          <Unpriced count={sums?.unpriced ?? 0} short />
        </p>
      )}
      <div className="mt-auto min-h-4.5 text-ink-3 text-sm">
        {sums ? <RequestCount sums={sums} /> : null}
        {children ? <p>{children}</p> : null}
      </div>
    </Card>
  )
}

/** Which requests a sum consists of. */
function RequestCount({ sums: { requests } }: { sums: UsageSums }) {
  return (
    <p className="sm:truncate" title="Rejected requests are not counted, and running ones not yet.">
      {formatCount(requests)} finished {requests === 1 ? 'request' : 'requests'}
      <span className="sr-only">. Rejected requests are not counted.</span>
    </p>
  )
}
