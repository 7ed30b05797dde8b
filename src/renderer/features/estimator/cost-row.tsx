import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { queries } from '../../data/queries.ts'
import { Badge } from '../../kit/badge.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatRate } from '../../kit/format.ts'
import { ColumnMoney } from '../../kit/money.tsx'
import { formatPriceOrigin } from '../../parts/requests/price-label.ts'
import type { ModelCost } from './model-costs.ts'
import { Saving } from './repricing/saving.tsx'

/** Without the savings, there is space for the prices in narrow windows too. */
export function priceColumnClass(baselineUsd: number | null): string {
  return baselineUsd === null ? 'max-sm:hidden' : 'max-lg:hidden'
}

interface CostRowProps {
  cost: ModelCost
  /** The actual cost of the workload; null if nothing is known. */
  baselineUsd: number | null
  decimals: number
}

export function CostRow({ cost, baselineUsd, decimals }: CostRowProps) {
  const { data: providers } = useQuery(queries.providers)
  const { model, pricing, costUsd, share } = cost
  const { id, provider, contextWindow, priceOrigin } = model
  const providerName = providers?.find((row) => row.id === provider)?.name ?? provider
  const approximate = priceOrigin?.match === 'approximate'
  const prices = priceColumnClass(baselineUsd)
  const cell = 'px-4 text-right tabular-nums'
  return (
    <tr className="h-9 border-line border-b last:border-b-0 hover:bg-sunken">
      <th scope="row" className="px-4 text-left font-normal max-sm:pr-2">
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
          {share > 0 ? <Badge tone="accent">{describeShare(share)}</Badge> : null}
          {approximate ? <Badge>Approximate price</Badge> : null}
        </div>
      </th>
      <td className={cn(cell, 'text-ink-2 max-lg:hidden')}>
        {contextWindow === null ? '–' : formatCount(contextWindow, true)}
      </td>
      <td className={cn(cell, 'text-ink-2', prices)}>{formatRate(pricing.inputPerMillion)}</td>
      <td className={cn(cell, 'text-ink-2', prices)}>{formatRate(pricing.outputPerMillion)}</td>
      <td className={cell} title={priceOrigin ? `Price: ${formatPriceOrigin(priceOrigin)}` : undefined}>
        {costUsd === 0 ? 'Free' : <ColumnMoney usd={costUsd} decimals={decimals} />}
      </td>
      {baselineUsd === null ? null : (
        <td className={cn(cell, 'max-sm:hidden')}>
          <Saving chargedUsd={baselineUsd} costUsd={costUsd} decimals={decimals} />
        </td>
      )}
    </tr>
  )
}

/** Its share of the tokens that were used. */
function describeShare(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 0 ? 'In use' : `In use, ${percent}%`
}

/** The recorded cost, among the estimated ones. */
export function BaselineRow({ usd, decimals }: { usd: number; decimals: number }) {
  return (
    <tr className="h-9 border-line border-b bg-accent-soft font-medium">
      <th scope="row" className="px-4 text-left font-medium">
        Recorded in the last 30 days
      </th>
      <td className="max-lg:hidden" />
      <td className="max-lg:hidden" />
      <td className="max-lg:hidden" />
      <td className="px-4 text-right tabular-nums">
        <ColumnMoney usd={usd} decimals={decimals} />
      </td>
      <td className="max-sm:hidden" />
    </tr>
  )
}
