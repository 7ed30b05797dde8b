import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/account.ts'
import { GaugeBar } from '../../components/gauge.tsx'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card } from '../../components/page.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { Unpriced } from '../../components/unpriced.tsx'
import { formatCount, formatDay, formatUsd } from '../../format.ts'
import { queries } from '../../server-state/queries.ts'
import { emptyUsage, monthTotals, type RecentUsage } from '../../server-state/usage.ts'
import type { UsageSums } from '../../server-state/usage-periods.ts'
import { forecast, project } from './projection.ts'

export function SpendCards({ account }: { account: Account | null }) {
  const { data: today } = useQuery({ ...queries.usage, select: (usage) => usage.today })
  const { data: month } = useQuery({
    ...monthTotals(account?.monthStartsAt ?? '', account?.timeZone ?? 'UTC'),
    enabled: account !== null,
  })
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <Figure title="Today" usd={account?.todaySpendUsd} sums={today} />
      <Figure title="This month" usd={account?.monthSpendUsd} sums={month}>
        {account ? <MonthForecast account={account} /> : null}
      </Figure>
      <MonthLimit account={account} />
    </div>
  )
}

/** What the month costs if spending continues as in the last 7 days. */
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

function sumRecent({ recentUsdByKey }: RecentUsage): number {
  return [...recentUsdByKey.values()].reduce((sum, usd) => sum + usd, 0)
}

function MonthLimit({ account }: { account: Account | null }) {
  const limitUsd = account?.monthlyLimitUsd ?? null
  return (
    <Card className="flex min-h-31 flex-col p-4 max-sm:col-span-2">
      <h2 className="truncate font-medium text-ink-3 text-sm">
        {limitUsd === null ? 'Month limit' : `Left of ${formatUsd(limitUsd)} this month`}
      </h2>
      {account === null ? <Skeleton className="mt-2 h-7 w-32" /> : null}
      {account !== null && limitUsd === null ? (
        <>
          <p className="mt-1 font-semibold text-xl">No limit</p>
          <p className="mt-auto truncate text-sm">
            <Link href="/settings" className="text-accent-ink hover:underline">
              Set a monthly limit
            </Link>
          </p>
        </>
      ) : null}
      {account !== null && limitUsd !== null ? (
        <>
          <p className="mt-1 truncate font-semibold text-xl">
            <Money usd={Math.max(0, limitUsd - account.monthSpendUsd)} />
          </p>
          <p className="mt-auto truncate text-ink-3 text-sm" title="At the rate of the last 7 days">
            <MonthProjection account={account} limitUsd={limitUsd} />
          </p>
          <div className="mt-2">
            <GaugeBar
              label="Spend this month"
              spentUsd={account.monthSpendUsd}
              reservedUsd={account.reservedUsd}
              limitUsd={limitUsd}
            />
          </div>
        </>
      ) : null}
    </Card>
  )
}

/** Whether the limit holds until the month is over, at the rate of the last 7 days. */
function MonthProjection({ account, limitUsd }: { account: Account; limitUsd: number }) {
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const now = useNow()
  const { monthSpendUsd, reservedUsd, monthResetsAt, timeZone } = account
  if (reservedUsd > 0) return `${formatUsd(reservedUsd)} reserved for running requests`
  const projection = project({
    spentUsd: monthSpendUsd,
    limitUsd,
    recentUsd: sumRecent(usage),
    sinceMs: usage.recentFromMs,
    nowMs: now,
  })
  if (projection.state === 'reached') return `Reached. Resets ${formatDay(monthResetsAt, now, timeZone)}.`
  if (projection.state === 'reached-at' && projection.atMs < Date.parse(monthResetsAt)) {
    return `Lasts until about ${formatDay(new Date(projection.atMs).toISOString(), now, timeZone)}`
  }
  return 'Lasts at this rate'
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
        {children ? <p className="sm:truncate">{children}</p> : null}
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
