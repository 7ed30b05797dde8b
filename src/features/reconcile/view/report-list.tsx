import { useQuery } from '@tanstack/react-query'
import { Scale, Trash2 } from 'lucide-react'
import { Link } from 'wouter'
import { api, authorizedFetch } from '../../../renderer/data/api.ts'
import { useProviderNames, useTimeZone } from '../../../renderer/data/hooks.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { queryClient, refresh, volatileQuery } from '../../../renderer/data/query-client.ts'
import { Badge } from '../../../renderer/kit/badge.tsx'
import { formatCount, formatDate, formatMoment } from '../../../renderer/kit/format.ts'
import { IconButton } from '../../../renderer/kit/icon-button.tsx'
import { Money } from '../../../renderer/kit/money.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { reportFailure } from '../../../renderer/kit/show-error.ts'
import { fillPath } from '../../../shared/api/operation-calls.ts'
import { routes } from '../../../shared/api/routes.ts'
import { Reconciliation } from '../api/reconciliations.ts'

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

// Comparisons of the log with exports of providers. Their files are sent as they are.

const { createReconciliation } = routes

const reconciliations = volatileQuery(
  ['reconciliations'],
  async () => (await api('listReconciliations')).data,
)

export function reconciliation(id: string) {
  return volatileQuery(['reconciliation', id], () => api('getReconciliation', { params: { id } }))
}

/** Throws ApiError. */
export async function compareExport(file: File, provider: string | undefined): Promise<Reconciliation> {
  const query = { provider, name: file.name.slice(0, 200) }
  const created = Reconciliation.parse(
    await send(fillPath(createReconciliation.path, undefined, query), file),
  )
  await refresh(reconciliations)
  return created
}

/** Throws ApiError. */
export async function settleReconciliation(id: string): Promise<Reconciliation> {
  const settled = await api('settleReconciliation', { params: { id } })
  queryClient.setQueryData(reconciliation(id).queryKey, settled)
  await Promise.all([refresh(reconciliations), refresh(queries.account), refresh(queries.keys)])
  return settled
}

/** Throws ApiError. */
async function deleteReconciliation(id: string): Promise<void> {
  await api('deleteReconciliation', { params: { id } })
  await refresh(reconciliations)
}

async function send(path: string, file: File): Promise<unknown> {
  const response = await authorizedFetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  })
  return await response.json()
}
