// Owns the three figures at the top: today, this month, the month's limit.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/account.ts'
import { GaugeBar } from '../../components/gauge.tsx'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card } from '../../components/page.tsx'
import { useNow } from '../../components/when.tsx'
import { formatCount, formatDate, formatUsd } from '../../format.ts'
import { useUsage } from '../../stores/usage.ts'
import { project } from './projection.ts'

export function SpendCards({ account }: { account: Account | null }) {
  const days = useUsage((store) => store.days)
  const today = days.at(-1)
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
        note={account ? `resets ${formatDate(account.monthResetsAt, account.timeZone)}` : ' '}
      />
      <Card className="flex min-h-30 flex-col p-4">
        <h2 className="font-medium text-ink-3 text-sm">Month limit</h2>
        {account === null ? <Skeleton className="mt-2 h-7 w-32" /> : null}
        {account?.monthlyLimitUsd === null ? (
          <>
            <p className="mt-1 font-semibold text-xl">No limit</p>
            <p className="mt-auto text-sm">
              <Link href="/settings" className="text-accent-ink hover:underline">
                Set a monthly limit
              </Link>
            </p>
          </>
        ) : null}
        {account !== null && account.monthlyLimitUsd !== null ? (
          <>
            <p className="mt-1 font-semibold text-xl">
              <Money usd={Math.max(0, account.monthlyLimitUsd - account.monthSpendUsd)} />{' '}
              <span className="whitespace-nowrap font-normal text-base text-ink-2">
                left of {formatUsd(account.monthlyLimitUsd)}
              </span>
            </p>
            <p className="mt-auto truncate text-ink-3 text-sm">
              <MonthProjection account={account} limitUsd={account.monthlyLimitUsd} />
            </p>
            <div className="mt-2">
              <GaugeBar
                label="Spend this month"
                spentUsd={account.monthSpendUsd}
                reservedUsd={account.reservedUsd}
                limitUsd={account.monthlyLimitUsd}
              />
            </div>
          </>
        ) : null}
      </Card>
    </div>
  )
}

/** Whether the limit holds until the month is over, at the pace of late. */
function MonthProjection({ account, limitUsd }: { account: Account; limitUsd: number }) {
  const lately = useUsage((store) => store.lately)
  const now = useNow()
  const { monthSpendUsd, reservedUsd, monthResetsAt, timeZone } = account
  if (reservedUsd > 0) return `${formatUsd(reservedUsd)} reserved by running requests`
  const projection = project({
    spentUsd: monthSpendUsd,
    limitUsd,
    lastDaysUsd: [...lately.values()].reduce((sum, usd) => sum + usd, 0),
    sinceMs: 0,
    nowMs: now,
  })
  if (projection.state === 'reached') return `Reached. Resets ${formatDate(monthResetsAt, timeZone)}.`
  if (projection.state === 'reached-at' && projection.atMs < Date.parse(monthResetsAt)) {
    return `Reached about ${formatDate(new Date(projection.atMs).toISOString(), timeZone)} at this pace`
  }
  return 'Holds at this pace'
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
