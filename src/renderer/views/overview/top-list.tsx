// Owns a short ranking by spend. Each line leads to its requests.
import { Link } from 'wouter'
import type { UsageRow } from '../../../shared/requests.ts'
import { Money } from '../../components/money.tsx'
import { formatCount } from '../../format.ts'

const MOST = 5

interface TopListProps {
  rows: readonly UsageRow[]
  none: string
  href: (group: string) => string
}

export function TopList({ rows, none, href }: TopListProps) {
  if (rows.length === 0) return <p className="px-4 pt-1 pb-5 text-ink-3">{none}</p>
  const most = Math.max(...rows.map(({ costUsd }) => costUsd), Number.MIN_VALUE)
  return (
    <ol className="px-2 pb-2">
      {rows.slice(0, MOST).map((row) => (
        <li key={row.group}>
          <Link href={href(row.group)} className="relative block rounded-md px-2 py-1.5 hover:bg-sunken">
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate">{row.label}</span>
              <span className="shrink-0 text-ink-3 text-sm">{formatCount(row.requests, true)}</span>
              <Money usd={row.costUsd} className="w-18 shrink-0 text-right" />
            </span>
            <span aria-hidden className="mt-1 block h-0.5 rounded-full bg-line">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${(row.costUsd / most) * 100}%` }}
              />
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}
