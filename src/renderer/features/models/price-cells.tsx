import type { ModelRecord, PriceOrigin } from '../../../shared/api/models.ts'
import { exactUsdDecimals } from '../../../shared/money/format-usd.ts'
import { cn } from '../../kit/cn.ts'
import { ColumnMoney } from '../../kit/money.tsx'
import { formatPriceOrigin, formatUnitPrices } from '../../parts/requests/price-label.ts'
import { isFree } from './model-filter.ts'

/** More than any price per million tokens needs. */
const MAX_DECIMALS = 4

/** The decimals with which all prices of a table are written. */
export function choosePriceDecimals(models: readonly Pick<ModelRecord, 'pricing'>[]): number {
  const prices = models.flatMap(({ pricing }) =>
    pricing ? [pricing.inputPerMillion, pricing.outputPerMillion] : [],
  )
  return Math.min(MAX_DECIMALS, exactUsdDecimals(prices))
}

/** In the narrowest windows they stand below the name, side by side. */
const besideEachOther = 'text-right max-sm:row-start-2 max-sm:text-left max-sm:text-ink-3'

interface PriceCellsProps {
  model: ModelRecord
  decimals: number
  onEdit: () => void
}

/** The two cells of a model's price. Where it comes from is marked if it is not from the price data of Tollgate. */
export function PriceCells({ model, decimals, onEdit }: PriceCellsProps) {
  const { pricing, priceOrigin } = model
  if (pricing === null) {
    return (
      <td colSpan={2} className={cn(besideEachOther, 'max-sm:col-span-2 max-sm:col-start-2')}>
        <button
          type="button"
          aria-label={`Set the price of ${model.id}`}
          onClick={onEdit}
          className="target rounded-sm font-medium text-warn hover:underline"
        >
          No price
        </button>
      </td>
    )
  }
  const title = priceOrigin ? formatPriceOrigin(priceOrigin) : undefined
  const mark = priceOrigin ? <Mark origin={priceOrigin} /> : null
  const { inputPerMillion: input, outputPerMillion: output } = pricing
  const [unitPrice] = input === 0 && output === 0 ? formatUnitPrices(pricing) : []
  if (unitPrice !== undefined || isFree(pricing)) {
    return (
      <td
        colSpan={2}
        className={cn(besideEachOther, 'truncate max-sm:col-span-2 max-sm:col-start-2')}
        title={title}
      >
        {mark}
        {unitPrice ?? 'Free'}
      </td>
    )
  }
  return (
    <>
      <td
        className={cn(
          besideEachOther,
          "whitespace-nowrap max-sm:col-start-2 max-sm:pr-0! max-sm:after:content-['_in']",
        )}
        title={title}
      >
        {mark}
        <ColumnMoney usd={input} decimals={decimals} />
      </td>
      <td
        className={cn(besideEachOther, "whitespace-nowrap max-sm:col-start-3 max-sm:after:content-['_out']")}
        title={title}
      >
        <ColumnMoney usd={output} decimals={decimals} />
      </td>
    </>
  )
}

const marks: Partial<Record<PriceOrigin['source'], string>> = {
  user: 'own',
  provider: 'list',
}

function Mark({ origin: { source, match } }: { origin: PriceOrigin }) {
  if (match === 'approximate') return <span className="mr-1.5 text-warn">about</span>
  const mark = marks[source]
  return mark ? <span className="mr-1.5 text-ink-3 text-xs">{mark}</span> : null
}
