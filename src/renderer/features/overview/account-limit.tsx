import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Account } from '../../../shared/api/account.ts'
import { describeKind, headlineLimit, type Limit } from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'
import { emptyUsage, sumRecent } from '../../data/usage.ts'
import { cn } from '../../kit/cn.ts'
import { formatDay, formatOver, formatUsd } from '../../kit/format.ts'
import { GaugeBar, reachedText } from '../../kit/gauge.tsx'
import { Money } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import { useNow } from '../../kit/use-now.ts'
import { CapNote } from './cap-note.tsx'
import { project } from './projection.ts'

/** The nearest limit of what all keys together may spend. */
export function AccountLimit({ account }: { account: Account | null }) {
  const limit = account && headlineLimit(account)
  const after = limit?.kind ? describeKind(limit.kind) : 'this month'
  const over = limit && formatOver(limit.spentUsd, limit.limitUsd)
  const title = limit ? `Left of ${formatUsd(limit.limitUsd)} ${after}` : 'Monthly limit'
  return (
    <Card className="flex min-h-31 flex-col p-4 max-sm:col-span-2">
      <h2 className="line-clamp-2 font-medium text-ink-3 text-sm" title={title}>
        {title}
      </h2>
      {account === null ? <Skeleton className="mt-2 h-7 w-32" /> : null}
      {account !== null && limit === null ? (
        <>
          <p className="mt-1 font-semibold text-xl">No limit</p>
          <p className="mt-auto truncate text-sm">
            <Link href="/settings" className="target text-accent-ink hover:underline">
              Set a monthly limit
            </Link>
          </p>
        </>
      ) : null}
      {account !== null && limit ? (
        <>
          <p className="mt-1 truncate font-semibold text-xl">
            <Money usd={Math.max(0, limit.limitUsd - limit.spentUsd)} />
            {over === null ? null : (
              <span className={cn('ml-2 text-sm', reachedText(limit.warnsOnly))}>{over}</span>
            )}
          </p>
          <p className="mt-auto truncate text-ink-3 text-sm">
            <LimitNote account={account} limit={limit} />
          </p>
          <div className="mt-2">
            <GaugeBar
              label={limit.kind === null ? 'Spend this month' : `Spend ${after}`}
              spentUsd={limit.spentUsd}
              reservedUsd={limit.reservedUsd}
              limitUsd={limit.limitUsd}
              warnsOnly={limit.warnsOnly}
              {...(limit.kind === null ? {} : { after })}
            />
          </div>
        </>
      ) : null}
    </Card>
  )
}

function LimitNote({ account, limit }: { account: Account; limit: Limit }) {
  if (limit.reservedUsd > 0) return `${formatUsd(limit.reservedUsd)} reserved`
  if (limit.kind !== null) return <CapNote limit={limit} record={null} />
  return <MonthProjection account={account} limitUsd={limit.limitUsd} />
}

/** Whether the monthly limit holds until the month is over, at the rate of the last 7 days. */
function MonthProjection({ account, limitUsd }: { account: Account; limitUsd: number }) {
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const now = useNow()
  const { monthSpendUsd: spentUsd, monthResetsAt, timeZone } = account
  const recent = { recentUsd: sumRecent(usage), sinceMs: usage.recentFromMs }
  const projection = project({ spentUsd, limitUsd, ...recent, nowMs: now })
  if (projection.state === 'reached') return `Reached. Resets ${formatDay(monthResetsAt, now, timeZone)}.`
  if (projection.state === 'reached-at' && projection.atMs < Date.parse(monthResetsAt)) {
    const day = formatDay(new Date(projection.atMs).toISOString(), now, timeZone)
    return <span title="At the rate of the last 7 days">Lasts until about {day}</span>
  }
  return <span title="At the rate of the last 7 days">Lasts at this rate</span>
}
