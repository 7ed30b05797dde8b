import type { ReactNode } from 'react'
import { chooseUsdDecimals, formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Percentile } from '../../kit/percentile.tsx'
import { type ColumnId, computeCost, costPerThousand, type TableRow } from './usage-row.ts'

/**
 * As the table gets narrower, it drops the columns that matter least first. The rest scrolls only below the width of a phone.
 */
export const columnClasses: Readonly<Record<ColumnId, string>> = {
  // In a wide window all columns get wider, so that the eye finds the row again.
  name: 'w-full min-w-28 @7xl:w-1/4',
  requests: 'text-right',
  tokensIn: 'text-right @max-2xl:hidden',
  tokensOut: 'text-right @max-2xl:hidden',
  cached: 'text-right @max-5xl:hidden',
  cost: 'text-right',
  share: '@max-lg:hidden',
  perThousand: 'text-right @max-4xl:hidden',
  errors: 'text-right @max-xl:hidden',
  p50: 'text-right @max-4xl:hidden',
  p95: 'text-right @max-3xl:hidden',
}

/** The share of errors from which it is shown in red. */
const MANY = 0.05

/** The edge next to the last column that is shown, whichever it is. */
export const edgeClass = 'w-4 min-w-4 @6xl:w-3 @6xl:min-w-3 p-0 max-sm:w-2 max-sm:min-w-2'

/** How amounts of the same column are written. */
export interface Scale {
  costDecimals: number
  perThousandDecimals: number
  totalUsd: number
}

export function createScale(rows: readonly TableRow[], total: TableRow): Scale {
  return {
    costDecimals: chooseUsdDecimals(rows.map(({ costUsd }) => costUsd)),
    perThousandDecimals: chooseUsdDecimals(rows.map((row) => costPerThousand(row) ?? 0)),
    totalUsd: total.costUsd,
  }
}

interface CellOptions {
  record: TableRow
  scale: Scale
}

const unknown = <span className="text-ink-3">–</span>

/** The cells of all columns but the first. */
export const cells: Readonly<Record<Exclude<ColumnId, 'name'>, (options: CellOptions) => ReactNode>> = {
  requests: ({ record }) => formatCount(record.requests),
  tokensIn: ({ record }) => <Tokens count={record.tokensIn} />,
  tokensOut: ({ record }) => <Tokens count={record.tokensOut} />,
  cached: ({ record }) => <Tokens count={record.tokensCached} />,
  cost: Cost,
  share: Share,
  perThousand: ({ record, scale }) => {
    const usd = costPerThousand(record)
    return usd === undefined ? unknown : <Money usd={usd} decimals={scale.perThousandDecimals} />
  },
  errors: ({ record: { errors, requests } }) =>
    errors === 0 ? (
      <span className="text-ink-3">0</span>
    ) : (
      <span
        className={errors / requests >= MANY ? 'text-bad' : undefined}
        title={`${formatShare(errors / requests)} of the requests`}
      >
        {formatCount(errors)}
      </span>
    ),
  p50: ({ record }) => <Latency ms={record.latencyP50Ms} requests={record.requests - record.errors} />,
  p95: ({ record }) => <Latency ms={record.latencyP95Ms} requests={record.requests - record.errors} />,
}

function Tokens({ count }: { count: number }) {
  if (count === 0) return <span className="text-ink-3">0</span>
  return <span title={formatCount(count)}>{formatCount(count, true)}</span>
}

/** `requests`: those that succeeded, of which the percentile is. */
function Latency({ ms, requests }: { ms: number | null; requests: number }) {
  return ms === null ? unknown : <Percentile ms={ms} requests={requests} />
}

/** At least so much, where some requests have no price. */
function Cost({ record, scale }: CellOptions) {
  const { unpriced, requests } = record
  const usd = computeCost(record)
  if (usd === undefined) {
    return (
      <span className="text-ink-3" title="No price is known.">
        unknown
      </span>
    )
  }
  const amount = <Money usd={usd} decimals={scale.costDecimals} className="font-medium" />
  if (unpriced === 0) return amount
  return (
    <span className="whitespace-nowrap">
      <span
        className="text-ink-3"
        title={`${formatCount(unpriced)} of ${formatCount(requests)} requests have no price.`}
      >
        ≥{' '}
      </span>
      {amount}
    </span>
  )
}

function Share({ record, scale: { totalUsd } }: CellOptions) {
  const share = totalUsd > 0 ? record.costUsd / totalUsd : 0
  return (
    <span className="flex w-24 items-center gap-2 @7xl:w-full @7xl:min-w-32">
      <span aria-hidden className="h-1 min-w-0 flex-1 rounded-full bg-line">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="w-9 shrink-0 text-right text-ink-2 tabular-nums">{formatShare(share)}</span>
    </span>
  )
}

function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1%'
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)}%`
}
