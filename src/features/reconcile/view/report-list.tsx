import { useQuery } from '@tanstack/react-query'
import { Scale, Trash2 } from 'lucide-react'
import { Link } from 'wouter'
import { useProviderNames, useTimeZone } from '../../../renderer/data/hooks.ts'
import { Badge } from '../../../renderer/kit/badge.tsx'
import { formatCount, formatDate, formatMoment } from '../../../renderer/kit/format.ts'
import { IconButton } from '../../../renderer/kit/icon-button.tsx'
import { Money } from '../../../renderer/kit/money.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { reportFailure } from '../../../renderer/kit/show-error.ts'
import { deleteReconciliation, reconciliations } from './reconciliations.ts'

export function ReportList() {
  const { data, error, refetch } = useQuery(reconciliations)
  const timeZone = useTimeZone()
  const names = useProviderNames()
  const remove = (id: string) => void reportFailure(deleteReconciliation(id))
  if (data === undefined) {
    return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={3} />
  }
  if (data.length === 0) {
    return (
      <EmptyState icon={Scale} title="No reports yet">
        Each comparison is kept here as a report.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Reports" className="divide-y divide-line border-line border-t">
      {data.map((report) => {
        const off = report.counts.differing + report.counts['missing-here'] + report.counts['missing-there']
        const what = `${names.get(report.provider) ?? report.provider}, ${formatDate(report.from, 'UTC')} to ${formatDate(report.to, 'UTC')}`
        return (
          <li
            key={report.id}
            className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 py-1.5 pr-3 pl-4"
          >
            <div className="min-w-0 flex-1">
              <Link
                href={`/usage/reconcile/${report.id}`}
                className="font-medium text-accent-ink hover:underline"
              >
                {what}
              </Link>
              <p className="truncate text-ink-3 text-sm">
                {report.name || report.formatName}, {formatMoment(report.createdAt, timeZone)}
              </p>
            </div>
            {report.open.requests > 0 ? (
              <Badge tone="warn">{`${formatCount(report.open.requests)} to settle`}</Badge>
            ) : null}
            <span className="text-ink-2">{off === 0 ? 'All match' : `${formatCount(off)} off`}</span>
            <span className="w-24 text-right">
              {report.differenceUsd === null ? (
                <span className="text-ink-3">no costs</span>
              ) : (
                <Difference usd={report.differenceUsd} />
              )}
            </span>
            <IconButton
              label={`Delete the report of ${what}`}
              icon={Trash2}
              small
              onClick={() => remove(report.id)}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** The signed difference: more at the provider is a plus. */
export function Difference({ usd, decimals }: { usd: number; decimals?: number }) {
  return (
    <span>
      {usd > 0 ? '+' : ''}
      <Money usd={usd} {...(decimals === undefined ? {} : { decimals })} />
    </span>
  )
}
