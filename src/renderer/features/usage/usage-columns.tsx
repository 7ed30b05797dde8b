import { HistorySum } from '../../../features/history/view/history.tsx'
import { HISTORY_NOTE } from '../../../features/history/view/use-history.ts'
import { describeChange, Percentile } from '../../kit/change.tsx'
import { chooseUsdDecimals, formatCount, formatDecimal, formatUsd } from '../../kit/format.ts'
import { InSecondCurrency, Money, Uncharged, Unpriced } from '../../kit/money.tsx'
import type { Column } from '../../kit/table-order.ts'
import {
  type ColumnId,
  computeChange,
  computeCost,
  costPerThousand,
  type TableRow as UsageRow,
} from './usage-row.ts'

/** The share of errors from which it is shown in red. */
const MANY = 0.05

/** How amounts of the same column are written. */
export interface Scale {
  costDecimals: number
  perThousandDecimals: number
  totalUsd: number
  /** The amount of imported calls; null for none. */
  historyUsd: number | null
}

export function createScale(
  rows: readonly UsageRow[],
  total: UsageRow | undefined,
  historyUsd: number | null = null,
): Scale {
  return {
    costDecimals: chooseUsdDecimals(rows.map(({ costUsd }) => costUsd)),
    perThousandDecimals: chooseUsdDecimals(rows.map((row) => costPerThousand(row) ?? 0)),
    totalUsd: total?.costUsd ?? 0,
    historyUsd,
  }
}

interface CellOptions {
  record: UsageRow
  scale: Scale
}

const unknown = <span className="text-ink-3">–</span>

/** As the table gets narrower, it drops the columns that matter least first. It scrolls only below the width of a phone. */
export function createColumns(
  rowLabel: string,
  scale: Scale,
  /** The dates of the period before; null where the rows are not compared. */
  before: string | null,
  hasTrends: boolean,
): Column<UsageRow, ColumnId>[] {
  const trend: Column<UsageRow, ColumnId> = {
    id: 'trend',
    head: 'Trend',
    hint: 'Cost in the course of the period',
    className: '@max-4xl:hidden',
    cell: Trend,
  }
  const change = number('change', 'Change', computeChange, {
    hint: before === null ? '' : `Cost compared with ${before}`,
    className: '@max-3xl:hidden',
    cell: (record) => <CostChange record={record} scale={scale} before={before ?? ''} />,
  })
  return [
    {
      id: 'name',
      head: rowLabel,
      sortBy: ({ order }) => order,
      // In a wide window all columns get wider, so that the eye finds the row again.
      className: 'w-full min-w-28 @7xl:w-1/4',
      cell: ({ name, color, isImported }) => (
        <>
          {color === undefined ? null : (
            <span aria-hidden className="mr-2 size-2 shrink-0 rounded-[2px]" style={{ background: color }} />
          )}
          <span className="w-0 min-w-0 flex-1 truncate" title={name}>
            <bdi>{name}</bdi>
          </span>
          {isImported ? (
            <span className="ml-2 shrink-0 text-ink-3 text-xs" title={HISTORY_NOTE}>
              from logs
            </span>
          ) : null}
        </>
      ),
      total: ({ unpriced, costUsd }) => (
        <span className="flex items-baseline gap-2">
          Total <Unpriced count={unpriced} short />
          <InSecondCurrency usd={costUsd} className="font-normal text-ink-3" />
          {scale.historyUsd === null ? null : <HistorySum usd={scale.historyUsd} />}
        </span>
      ),
    },
    number('requests', 'Requests', ({ requests }) => requests, {
      cell: ({ requests }) => formatCount(requests),
    }),
    number('tokensIn', 'Tokens in', ({ tokensIn }) => tokensIn, {
      className: '@max-2xl:hidden',
      cell: ({ tokensIn }) => <Tokens count={tokensIn} />,
    }),
    number('tokensOut', 'Tokens out', ({ tokensOut }) => tokensOut, {
      className: '@max-2xl:hidden',
      cell: ({ tokensOut }) => <Tokens count={tokensOut} />,
    }),
    number('cached', 'Cached', ({ tokensCached }) => tokensCached, {
      hint: 'Share of input tokens read from the provider’s cache',
      className: '@max-5xl:hidden',
      cell: ({ tokensCached }) => <Tokens count={tokensCached} />,
    }),
    number('cost', 'Cost', computeCost, {
      cell: (record) => <Cost record={record} scale={scale} />,
    }),
    ...(before === null ? [] : [change]),
    ...(hasTrends ? [trend] : []),
    {
      ...number('share', 'Share', computeCost, {
        hint: 'Share of total cost',
        className: '@max-lg:hidden',
        cell: (record) => <Share record={record} scale={scale} />,
      }),
      right: false,
    },
    number('perThousand', 'Per 1,000', costPerThousand, {
      hint: 'Cost per 1,000 requests',
      className: '@max-4xl:hidden',
      cell: (record) => {
        const usd = costPerThousand(record)
        return usd === undefined ? unknown : <Money usd={usd} decimals={scale.perThousandDecimals} />
      },
    }),
    number('errors', 'Errors', ({ errors }) => errors, {
      hint: 'Requests that failed',
      className: '@max-xl:hidden',
      cell: Errors,
    }),
    number('p50', 'p50', ({ latencyP50Ms }) => latencyP50Ms ?? undefined, {
      hint: 'Half of the requests that succeeded took no longer than this',
      className: '@max-4xl:hidden',
      cell: ({ latencyP50Ms, requests, errors }) => (
        <Latency ms={latencyP50Ms} requests={requests - errors} />
      ),
    }),
    number('p95', 'p95', ({ latencyP95Ms }) => latencyP95Ms ?? undefined, {
      hint: '95% of the requests that succeeded took no longer than this',
      className: '@max-3xl:hidden',
      cell: ({ latencyP95Ms, requests, errors }) => (
        <Latency ms={latencyP95Ms} requests={requests - errors} />
      ),
    }),
  ]
}

type Part = Pick<Column<UsageRow, ColumnId>, 'cell' | 'className' | 'hint'>

/** A column of numbers, which is sorted with the largest first. */
function number(
  id: ColumnId,
  head: string,
  sortBy: (row: UsageRow) => number | undefined,
  part: Part,
): Column<UsageRow, ColumnId> {
  return { id, head, sortBy, right: true, descendingFirst: true, ...part }
}

function Errors({ errors, requests }: UsageRow) {
  if (errors === 0) return <span className="text-ink-3">0</span>
  return (
    <span
      className={errors / requests >= MANY ? 'text-bad' : undefined}
      title={`${formatShare(errors / requests)} of the requests`}
    >
      {formatCount(errors)}
    </span>
  )
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
  const amount = (
    <>
      <Money usd={usd} decimals={scale.costDecimals} className="font-medium" />
      <Uncharged sums={record} className="block text-ink-3 text-xs" />
      {record.isImported ? (
        <span className="block text-ink-3 text-xs" title={HISTORY_NOTE}>
          list price
        </span>
      ) : null}
    </>
  )
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

function CostChange({ record, scale, before }: CellOptions & { before: string }) {
  const usd = computeChange(record)
  const { costUsd, beforeUsd = 0 } = record
  if (usd === undefined) return unknown
  if (usd === 0) return <span className="text-ink-3">0</span>
  const { words } = describeChange(costUsd, beforeUsd)
  const amount = formatUsd(Math.abs(usd), scale.costDecimals)
  // An amount below the last decimal is written with its own sign.
  const isSmall = amount.startsWith('<')
  return (
    <span
      className={isSmall ? 'text-ink-3' : 'tabular-nums'}
      title={`${words} ${formatUsd(beforeUsd)} in ${before}`}
    >
      {isSmall ? '≈ 0' : `${usd > 0 ? '+' : '−'}${amount}`}
    </span>
  )
}

const TREND_WIDTH = 72
const TREND_HEIGHT = 16

/** Drawn to the scale of its own row: the amounts are in the other columns. */
function Trend({ name, trend, color }: UsageRow) {
  if (!trend || trend.length < 2) return null
  const most = Math.max(...trend)
  const points = trend.map((usd, at) => {
    const height = most > 0 ? (usd / most) * TREND_HEIGHT : 0
    return `${((at / (trend.length - 1)) * TREND_WIDTH).toFixed(1)},${(TREND_HEIGHT - height).toFixed(1)}`
  })
  return (
    <svg
      role="img"
      aria-label={`Trend of ${name}, at most ${formatUsd(most)}`}
      width={TREND_WIDTH}
      height={TREND_HEIGHT}
      className="overflow-visible text-accent"
      style={{ color }}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  )
}

function Share({ record, scale: { totalUsd } }: CellOptions) {
  if (record.isImported) return unknown
  const share = totalUsd > 0 ? record.costUsd / totalUsd : 0
  return (
    <span className="flex w-24 items-center gap-2 @7xl:w-full @7xl:min-w-32">
      <span aria-hidden className="h-1 min-w-0 flex-1 rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${share * 100}%`, background: record.color }}
        />
      </span>
      <span className="w-9 shrink-0 text-right text-ink-2 tabular-nums">{formatShare(share)}</span>
    </span>
  )
}

function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1%'
  return `${formatDecimal(share * 100, share < 0.1 && share > 0 ? 1 : 0)}%`
}
