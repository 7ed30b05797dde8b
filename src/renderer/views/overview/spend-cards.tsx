// Owns the three figures at the top: today, this month, the month's limit.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/account.ts'
import { GaugeBar } from '../../components/gauge.tsx'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card } from '../../components/page.tsx'
import { formatCount, formatDate, formatUsd } from '../../format.ts'
import { useUsage } from '../../stores/usage.ts'

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
            <p className="mt-1 truncate font-semibold text-xl">
              <Money usd={Math.max(0, account.monthlyLimitUsd - account.monthSpendUsd)} />
            </p>
            <p className="truncate text-ink-3 text-sm">
              left of {formatUsd(account.monthlyLimitUsd)}
              {account.reservedUsd > 0 ? ` · ${formatUsd(account.reservedUsd)} reserved` : ''}
            </p>
            <div className="mt-auto">
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
