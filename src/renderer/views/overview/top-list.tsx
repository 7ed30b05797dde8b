// Owns a short ranking by spend. Each line leads to its requests.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UsageRow } from '../../../shared/usage.ts'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/notice.tsx'
import { formatCount } from '../../format.ts'

const MOST = 5

interface TopListProps {
  rows: readonly UsageRow[]
  loading: boolean
  none: string
  /** Null: there is nowhere to lead to. */
  href: (group: string) => string | null
}

export function TopList({ rows, loading, none, href }: TopListProps) {
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
  return (
    <ol className="px-2 pb-2">
      {rows.slice(0, MOST).map((row) => (
        <li key={row.group}>
          <Line href={href(row.group)}>
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate" title={row.label}>
                {row.label}
              </span>
              <span className="shrink-0 text-ink-3 text-sm" title={`${formatCount(row.requests)} requests`}>
                {formatCount(row.requests, true)}
              </span>
              <Money usd={row.costUsd} className="min-w-16 shrink-0 text-right" />
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
