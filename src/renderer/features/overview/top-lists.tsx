import type { ReactNode } from 'react'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import type { DateRange } from '../../data/date-range.ts'
import { formatRange } from '../../data/date-range-label.ts'
import { requestsHref, usageHref } from '../../data/request-link.ts'
import type { Usage } from '../../data/usage.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import { chooseUsdDecimals, formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { Card, CardHeader } from '../../kit/page.tsx'
import type { OverviewRange } from './use-overview-range.ts'

const MAX = 5

interface Ranking {
  title: string
  none: string
  by: 'model' | 'key' | 'client'
  of: 'models' | 'keys' | 'clients'
}

const rankings: readonly Ranking[] = [
  { title: t`Top models`, none: t`No model was used in this period.`, by: 'model', of: 'models' },
  { title: t`Top keys`, none: t`No key was used in this period.`, by: 'key', of: 'keys' },
  { title: t`Top tools`, none: t`No tool sent a request in this period.`, by: 'client', of: 'clients' },
]

interface TopListsProps {
  scope: OverviewRange
  usage: Usage | undefined
  failed: boolean
}

export function TopLists({ scope, usage, failed }: TopListsProps) {
  const { range, zone } = scope
  const name = formatRange(range, Date.now(), zone)
  return rankings.map((ranking) => (
    <Card key={ranking.by}>
      <CardHeader
        title={
          <Link
            href={usageHref(ranking.by, range)}
            title={t`Show all in Usage`}
            className="target hover:underline"
          >
            {ranking.title}
          </Link>
        }
      >
        {'preset' in range ? lowerLabel(name) : name}
      </CardHeader>
      <TopList ranking={ranking} rows={usage?.[ranking.of]} range={range} failed={failed} />
    </Card>
  ))
}

interface TopListProps {
  ranking: Ranking
  /** Undefined while they are read. */
  rows: readonly UsageRow[] | undefined
  range: DateRange
  failed: boolean
}

function TopList({ ranking: { by, none }, rows, range, failed }: TopListProps) {
  const getLabel = useUsageLabel(by)
  if (failed || rows?.length === 0) {
    return <p className="min-h-20 px-4 pt-1 pb-5 text-ink-3">{failed ? t`Could not be loaded.` : none}</p>
  }
  if (rows === undefined) {
    return (
      <div className="flex min-h-20 flex-col gap-3 px-4 pt-2 pb-5">
        <Skeleton className="h-5" />
        <Skeleton className="h-5" />
      </div>
    )
  }
  const most = Math.max(...rows.map(({ costUsd }) => costUsd), Number.MIN_VALUE)
  const shown = rows.slice(0, MAX)
  const decimals = chooseUsdDecimals(shown.map(({ costUsd }) => costUsd))
  return (
    <ol className="px-2 pb-2">
      {shown.map((row) => (
        <li key={row.group}>
          <Line href={requestsHref({ [by]: row.group }, range)}>
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate" title={getLabel(row.group, row.label)}>
                <bdi>{getLabel(row.group, row.label)}</bdi>
              </span>
              <span className="shrink-0 text-ink-3 text-sm" title={describeCount(row)}>
                {formatCount(row.requests, true)}
                {row.unpriced > 0 ? t`, ${formatCount(row.unpriced, true)} unpriced` : ''}
              </span>
              {row.unpriced === row.requests ? (
                <span className="min-w-16 shrink-0 text-right text-ink-3">{t`unknown`}</span>
              ) : (
                <Money
                  usd={row.costUsd}
                  decimals={row.costUsd === 0 ? 2 : decimals}
                  className="min-w-16 shrink-0 text-right"
                />
              )}
            </span>
            <span aria-hidden className="mt-1 block h-0.5 rounded-full bg-line">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${(row.costUsd / most) * 100}%` }}
              />
            </span>
          </Line>
        </li>
      ))}
    </ol>
  )
}

/** A sum that leaves out requests without a price says so. */
function describeCount({ requests, unpriced }: UsageRow): string {
  const count = `${formatCount(requests)} ${requests === 1 ? t`request` : t`requests`}`
  return unpriced > 0 ? t`${count}, ${formatCount(unpriced)} of them without a price` : count
}

function Line({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return <div className="px-2 py-1.5">{children}</div>
  return (
    <Link href={href} className="block rounded-md px-2 py-1.5 hover:bg-sunken">
      {children}
    </Link>
  )
}
