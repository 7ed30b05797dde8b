import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/api/account.ts'
import { describeScope, headlineLimit, isMainLimit, type Limit } from '../../../shared/limits/limits.ts'
import { dayName, systemTimeZone } from '../../../shared/values/calendar.ts'
import { usePreviousSums } from '../../data/comparison.ts'
import type { DateRange } from '../../data/date-range.ts'
import type { UsageSums } from '../../data/periods.ts'
import { queries } from '../../data/queries.ts'
import { emptyUsage, monthTotals, sumRecent } from '../../data/usage.ts'
import { Change } from '../../kit/change.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatDay, formatOver, formatUsd } from '../../kit/format.ts'
import { GaugeBar, reachedText } from '../../kit/gauge.tsx'
import { laterView } from '../../kit/lazy-view.tsx'
import { InSecondCurrency, Money, Unpriced } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import { useNow } from '../../kit/use-now.ts'
import { CapNote, forecast, project } from './cap-note.tsx'

const runningSum = laterView(async () => (await import('./running-sum.tsx')).RunningSum)

const heldLink = laterView(async () => (await import('../../parts/limits/held-link.tsx')).HeldLink)
const LINK = 'target text-accent-ink hover:underline'

export function SpendCards({ account }: { account: Account | null }) {
  const { data: today } = useQuery({ ...queries.usage, select: (usage) => usage.today })
  const { data: month } = useQuery({
    ...monthTotals(account?.monthStartsAt ?? '', account?.timeZone ?? 'UTC'),
    enabled: account !== null,
  })
  const dayOfToday = dayName(useNow(), account?.timeZone ?? systemTimeZone())
  const day = useMemo(() => ({ firstDay: dayOfToday, lastDay: dayOfToday }), [dayOfToday])
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <Figure title="Today" range={day} usd={account?.todaySpendUsd} sums={today}>
        <runningSum.View />
      </Figure>
      <Figure title="This month" range={THIS_MONTH} usd={account?.monthSpendUsd} sums={month}>
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

const THIS_MONTH: DateRange = { preset: 'month' }

interface FigureProps {
  title: string
  range: DateRange
  /** Undefined while it is read. */
  usd: number | undefined
  sums: UsageSums | undefined
  /** A second line. */
  children?: ReactNode
}

function Figure({ title, range, usd, sums, children }: FigureProps) {
  const previous = usePreviousSums(range)
  return (
    <Card className="flex min-h-31 flex-col p-4">
      <h2 className="font-medium text-ink-3 text-sm">{title}</h2>
      {usd === undefined ? (
        <Skeleton className="mt-2 h-7 w-32" />
      ) : (
        <p className="mt-1 flex flex-wrap items-baseline gap-x-2 font-semibold text-xl">
          <Money usd={usd} />
          {previous ? (
            <Change now={usd} before={previous.sums.costUsd} format={formatUsd} period={previous.period} />
          ) : null}
          <Unpriced count={sums?.unpriced ?? 0} short />
          <InSecondCurrency usd={usd} className="font-normal text-ink-3 text-sm" />
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
      {`${formatCount(requests)} finished ${requests === 1 ? 'request' : 'requests'}`}
      <span className="sr-only">. Rejected requests are not counted.</span>
    </p>
  )
}

/** The nearest limit of what all keys together may spend. */
function AccountLimit({ account }: { account: Account | null }) {
  const limit = account && headlineLimit(account)
  const after = limit ? describeScope(limit) : ''
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
            <Link href="/settings" className={LINK}>
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
              label={`Spend ${after}`}
              spentUsd={limit.spentUsd}
              reservedUsd={limit.reservedUsd}
              limitUsd={limit.limitUsd}
              warnsOnly={limit.warnsOnly}
              after={after}
            />
          </div>
        </>
      ) : null}
    </Card>
  )
}

function LimitNote({ account, limit }: { account: Account; limit: Limit }) {
  if (limit.reservedUsd > 0)
    return (
      <>
        {`${formatUsd(limit.reservedUsd)} reserved`} <heldLink.View keyId={null} short className={LINK} />
      </>
    )
  if (!isMainLimit(limit)) return <CapNote limit={limit} record={null} />
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
    return <span title="At the rate of the last 7 days">{`Lasts until about ${day}`}</span>
  }
  return <span title="At the rate of the last 7 days">Lasts at this rate</span>
}
