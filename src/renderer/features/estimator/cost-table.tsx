import { useMemo } from 'react'
import { Link } from 'wouter'
import { useProviderName } from '../../data/hooks.ts'
import { Badge } from '../../kit/badge.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { chooseUsdDecimals, formatCount, formatRate } from '../../kit/format.ts'
import { ColumnMoney } from '../../kit/money.tsx'
import { type Column, type Sort, useSortParam } from '../../kit/table-order.ts'
import { Saving } from '../../parts/controls/saving.tsx'
import { formatPriceOrigin } from '../../parts/requests/price-label.ts'
import type { ModelCost } from './workload.ts'

type ColumnId = 'model' | 'context' | 'input' | 'output' | 'cost' | 'saving'

const CHEAPEST_FIRST: Sort<ColumnId> = { column: 'cost', descending: false }

interface Row {
  costUsd: number
  /** Null for the recorded cost, among the estimated ones. */
  cost: ModelCost | null
}

interface CostTableProps {
  costs: ModelCost[]
  /** The actual cost of the workload, to compare with; null if nothing is known. */
  baselineUsd: number | null
}

export function CostTable({ costs, baselineUsd }: CostTableProps) {
  const decimals = chooseUsdDecimals(costs.map(({ costUsd }) => costUsd))
  const columns = useMemo(() => createColumns(baselineUsd, decimals), [baselineUsd, decimals])
  const sorting = useSortParam(columns, CHEAPEST_FIRST)
  const rows: Row[] = costs.map((cost) => ({ costUsd: cost.costUsd, cost }))
  // Elsewhere than among other costs, it would say nothing.
  const hasBaseline = baselineUsd !== null && sorting[0].column === 'cost'
  return (
    <DataTable
      columns={columns}
      rows={hasBaseline ? [...rows, { costUsd: baselineUsd, cost: null }] : rows}
      getId={({ cost }) => cost?.model.id ?? ''}
      sorting={sorting}
      rowClass={({ cost }) => (cost === null ? 'bg-accent-soft font-medium' : 'hover:bg-sunken')}
      classes={{ table: 'text-sm' }}
      firstShown={100}
      noun="models"
    />
  )
}

function createColumns(baselineUsd: number | null, decimals: number): Column<Row, ColumnId>[] {
  // Without the savings, there is space for the prices in narrow windows too.
  const priceClass = baselineUsd === null ? 'max-sm:hidden' : 'max-lg:hidden'
  return [
    {
      id: 'model',
      head: 'Model',
      sortBy: ({ cost }) => cost?.model.id,
      isHeader: true,
      cellClass: 'max-sm:pr-2',
      cell: ({ cost }) =>
        cost ? <Name cost={cost} /> : <span className="font-medium">Recorded in the last 30 days</span>,
    },
    {
      id: 'context',
      head: 'Context',
      sortBy: ({ cost }) => cost?.model.contextWindow ?? undefined,
      descendingFirst: true,
      right: true,
      className: 'max-lg:hidden',
      headClass: 'w-24',
      cellClass: 'text-ink-2',
      cell: ({ cost }) => {
        const size = cost?.model.contextWindow
        return size ? formatCount(size, true) : cost && '–'
      },
    },
    {
      id: 'input',
      head: 'Input per 1M',
      sortBy: ({ cost }) => cost?.pricing.inputPerMillion,
      right: true,
      className: priceClass,
      headClass: 'w-32',
      cellClass: 'text-ink-2',
      cell: ({ cost }) => cost && formatRate(cost.pricing.inputPerMillion),
    },
    {
      id: 'output',
      head: 'Output per 1M',
      sortBy: ({ cost }) => cost?.pricing.outputPerMillion,
      right: true,
      className: priceClass,
      headClass: 'w-32',
      cellClass: 'text-ink-2',
      cell: ({ cost }) => cost && formatRate(cost.pricing.outputPerMillion),
    },
    {
      id: 'cost',
      head: 'Estimated per month',
      sortBy: ({ costUsd }) => costUsd,
      right: true,
      headClass: 'w-40 max-sm:w-37 max-sm:pl-0',
      title: ({ cost }) =>
        cost?.model.priceOrigin ? `Price: ${formatPriceOrigin(cost.model.priceOrigin)}` : undefined,
      cell: ({ costUsd }) => (costUsd === 0 ? 'Free' : <ColumnMoney usd={costUsd} decimals={decimals} />),
    },
    ...(baselineUsd === null
      ? []
      : [
          {
            id: 'saving' as const,
            head: 'Saving',
            right: true,
            className: 'max-sm:hidden',
            headClass: 'w-44',
            cell: ({ cost, costUsd }: Row) =>
              cost && <Saving chargedUsd={baselineUsd} costUsd={costUsd} decimals={decimals} />,
          },
        ]),
  ]
}

/** A smaller share is not shown: it would be on nearly every row. */
const LEAST_SHARE = 0.05

function Name({ cost: { model, share } }: { cost: ModelCost }) {
  const { id, provider, priceOrigin } = model
  const providerName = useProviderName()(provider)
  return (
    <div className="flex min-w-0 items-center gap-2 max-sm:flex-col max-sm:items-start max-sm:gap-0.5 max-sm:py-2">
      <Link
        href={`/models?edit=${encodeURIComponent(id)}`}
        title={id}
        className="truncate font-medium font-mono hover:underline max-sm:wrap-anywhere max-sm:whitespace-normal"
      >
        {id}
      </Link>
      {/* Gives way to the id of the model. */}
      <span className="min-w-0 shrink-[1000] truncate text-ink-3 max-xl:hidden" title={providerName}>
        {providerName}
      </span>
      {share >= LEAST_SHARE ? <Badge tone="accent">{`In use, ${Math.round(share * 100)}%`}</Badge> : null}
      {priceOrigin?.match === 'approximate' ? <Badge>Approximate price</Badge> : null}
    </div>
  )
}
