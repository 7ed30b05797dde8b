import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UsageRow } from '../../../shared/usage.ts'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { Card, CardHeader } from '../../components/page.tsx'
import { chooseUsdDecimals, formatCount } from '../../format.ts'
import { queries } from '../../server-state/queries.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { getToolName, getToolSearch } from './tool-name.ts'

const MOST = 5

interface Ranking {
  title: string
  none: string
  of: 'models' | 'keys' | 'clients'
  label: (row: UsageRow) => string
  /** The requests of a row; null where no filter selects them. */
  href: (group: string) => string | null
}

const rankings: readonly Ranking[] = [
  {
    title: 'Top models',
    none: 'No model has been used yet.',
    of: 'models',
    label: ({ label }) => label,
    href: (id) => `/requests?model=${encodeURIComponent(id)}`,
  },
  {
    title: 'Top keys',
    none: 'No key has been used yet.',
    of: 'keys',
    label: ({ label }) => label,
    href: (id) => `/requests?key=${encodeURIComponent(id)}`,
  },
  {
    title: 'Top tools',
    none: 'No tool has sent a request yet.',
    of: 'clients',
    label: ({ group }) => getToolName(group),
    href: (name) => {
      const text = getToolSearch(name)
      return text === null ? null : `/requests?q=${encodeURIComponent(text)}`
    },
  },
]

export function TopLists() {
  const { data: usage = emptyUsage, isPending, isLoadingError } = useQuery(queries.usage)
  return rankings.map(({ title, none, of, label, href }) => (
    <Card key={of}>
      <CardHeader title={title}>last 30 days</CardHeader>
      <TopList
        loading={isPending}
        none={isLoadingError ? 'Could not be loaded.' : none}
        rows={usage[of].map((row) => ({ ...row, label: label(row) }))}
        href={href}
      />
    </Card>
  ))
}

interface TopListProps {
  rows: readonly UsageRow[]
  loading: boolean
  none: string
  /** Null for a row without a link. */
  href: (group: string) => string | null
}

function TopList({ rows, loading, none, href }: TopListProps) {
  if (loading) {
    return (
      <div className="flex min-h-20 flex-col gap-3 px-4 pt-2 pb-5">
        <Skeleton className="h-5" />
        <Skeleton className="h-5" />
      </div>
    )
  }
  if (rows.length === 0) return <p className="min-h-20 px-4 pt-1 pb-5 text-ink-3">{none}</p>
  const most = Math.max(...rows.map(({ costUsd }) => costUsd), Number.MIN_VALUE)
  const shown = rows.slice(0, MOST)
  const decimals = chooseUsdDecimals(shown.map(({ costUsd }) => costUsd))
  return (
    <ol className="px-2 pb-2">
      {shown.map((row) => (
        <li key={row.group}>
          <Line href={href(row.group)}>
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate" title={row.label}>
                {row.label}
              </span>
              <span className="shrink-0 text-ink-3 text-sm" title={`${formatCount(row.requests)} requests`}>
                {formatCount(row.requests, true)}
              </span>
              <Money usd={row.costUsd} decimals={decimals} className="min-w-16 shrink-0 text-right" />
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

function Line({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return <div className="px-2 py-1.5">{children}</div>
  return (
    <Link href={href} className="block rounded-md px-2 py-1.5 hover:bg-sunken">
      {children}
    </Link>
  )
}
