import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { PlanSharesQuery, PlanState, PlanShares as Shares } from '../../../shared/api/plans.ts'
import { formatUsed } from '../../../shared/limits/plan-text.ts'
import { api } from '../../data/api.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import { formatUsd } from '../../kit/format.ts'
import { LoadError } from '../../kit/notice.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'

type By = PlanSharesQuery['by']

const SPLITS = [
  { value: 'session', label: t`Session` },
  { value: 'tag', label: t`Project` },
  { value: 'key', label: t`Key` },
] as const satisfies { value: By; label: string }[]

const MAX_ROWS = 8

function shares(id: string, by: By): Query<Shares['data']> {
  return volatileQuery(
    ['plan-states', id, by],
    async () => (await api('getPlanShares', { params: { id }, query: { by } })).data,
  )
}

/** What the open windows of a plan were used for. It is read when it is opened, as it sums up requests. */
export function PlanShares({ plan }: { plan: PlanState }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="mt-3" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit select-none rounded-sm font-medium text-ink-2 text-sm hover:text-ink">{t`Usage by session, project and key`}</summary>
      {open ? <Table plan={plan} /> : null}
    </details>
  )
}

function Table({ plan: { id, name, windows } }: { plan: PlanState }) {
  const [by, setBy] = useState<By>('session')
  const { data: rows, error, refetch } = useQuery(shares(id, by))
  const label = useUsageLabel(by)
  const shown = windows.filter(({ name: window }) =>
    rows?.some((row) => row.windows.some((each) => each.window === window)),
  )
  return (
    <div className="mt-2 flex flex-col gap-2">
      <div>
        <SegmentedControl label={t`Divide by`} options={SPLITS} value={by} onChange={setBy} />
      </div>
      {error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {rows?.length === 0 ? (
        <p className="text-ink-3 text-sm">{t`No request has used a window that is open now.`}</p>
      ) : null}
      {rows && rows.length > 0 ? (
        <table aria-label={t`Usage of ${name}`} className="w-full max-w-3xl text-sm">
          <thead>
            <tr className="text-ink-3 text-xs">
              <th className="w-full py-1 text-left font-medium">
                {SPLITS.find(({ value }) => value === by)?.label}
              </th>
              {shown.map((window) => (
                <th
                  key={window.name}
                  className="whitespace-nowrap py-1 pl-6 text-right font-medium first-letter:uppercase"
                >
                  {window.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row) => (
              <tr key={row.group} className="border-line border-t">
                <td className="max-w-0 truncate py-1.5">
                  {by === 'session' && row.group !== '' ? (
                    <Link href={`/sessions/${encodeURIComponent(row.group)}`} className="hover:underline">
                      {label(row.group, row.label)}
                    </Link>
                  ) : (
                    label(row.group, row.label)
                  )}
                </td>
                {shown.map(({ name: window }) => (
                  <Share key={window} row={row} window={window} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <p className="text-ink-3 text-xs">{t`Divided by what the requests are worth. What is used outside of Tollgate is divided with it.`}</p>
    </div>
  )
}

function Share({ row, window }: { row: Shares['data'][number]; window: string }) {
  const own = row.windows.find((each) => each.window === window)
  return (
    <td className="py-1.5 pl-6 text-right tabular-nums" title={own && t`worth ${formatUsd(own.worthUsd)}`}>
      {own === undefined ? '–' : formatUsed(own.share)}
    </td>
  )
}
