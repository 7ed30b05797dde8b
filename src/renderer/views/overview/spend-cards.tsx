import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/account.ts'
import { GaugeBar } from '../../components/gauge.tsx'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card } from '../../components/page.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { formatCount, formatDay, formatUsd } from '../../format.ts'
import { queries } from '../../server-state/queries.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { project } from './projection.ts'

export function SpendCards({ account }: { account: Account | null }) {
  const { data: today } = useQuery({ ...queries.usage, select: (usage) => usage.today })
  return (
    <div className="grid grid-cols-3 gap-4">
      <Figure
        title="Today"
        value={account ? <Money usd={account.todaySpendUsd} /> : null}
        note={today ? `${formatCount(today.requests)} ${today.requests === 1 ? 'request' : 'requests'}` : ' '}
      />
      <Figure
        title="This month"
        value={account ? <Money usd={account.monthSpendUsd} /> : null}
        note={account ? `resets ${formatDay(account.monthResetsAt, Date.now(), account.timeZone)}` : ' '}
      />
      <MonthLimit account={account} />
    </div>
  )
}

function MonthLimit({ account }: { account: Account | null }) {
  const limitUsd = account?.monthlyLimitUsd ?? null
  return (
    <Card className="flex min-h-30 flex-col p-4">
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
    recentUsd: [...usage.recentUsdByKey.values()].reduce((sum, usd) => sum + usd, 0),
    sinceMs: usage.recentFromMs,
    nowMs: now,
  })
  if (projection.state === 'reached') return `Reached. Resets ${formatDay(monthResetsAt, now, timeZone)}.`
  if (projection.state === 'reached-at' && projection.atMs < Date.parse(monthResetsAt)) {
    return `Lasts until about ${formatDay(new Date(projection.atMs).toISOString(), now, timeZone)}`
  }
  return 'Lasts at this rate'
}

function Figure({ title, value, note }: { title: string; value: ReactNode; note: string }) {
  return (
    <Card className="flex min-h-30 flex-col p-4">
      <h2 className="font-medium text-ink-3 text-sm">{title}</h2>
      {value === null ? (
        <Skeleton className="mt-2 h-7 w-32" />
      ) : (
        <p className="mt-1 truncate font-semibold text-xl">{value}</p>
      )}
      <p className="mt-auto truncate text-ink-3 text-sm">{note}</p>
    </Card>
  )
}
