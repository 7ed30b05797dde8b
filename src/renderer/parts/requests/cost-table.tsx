import type { AppliedPrice, UsageBuckets } from '../../../shared/api/requests.ts'
import { BILLED_NAMES, type BilledUnit } from '../../../shared/money/billed-names.ts'
import { countedLines, itemizeCost, type CostLine as SharedLine } from '../../../shared/money/cost-lines.ts'
import { exactUsdDecimals } from '../../../shared/money/format-usd.ts'
import { NANO_PER_USD, usdToNano } from '../../../shared/money/money.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatRate, formatUsd } from '../../kit/format.ts'

export interface CostRow {
  label: string
  note: string
  /** Null: no amount is shown. */
  usd: number | null
}

/** "1,526 tokens × $0.10 per million". */
export function toCostRow({ label, count, unit, rateUsd, usd }: CostLine): CostRow {
  const rate = rateUsd === null ? '' : ` × ${formatRate(rateUsd)} per ${unit.perName}`
  return { label, note: `${formatCount(count)} ${unit.name}${rate}`, usd }
}

interface CostTableProps {
  rows: readonly CostRow[]
  totalLabel: string
  totalUsd: number
  /** Whether it is large, as on a receipt. */
  large?: boolean
  /** Whether notes are below their labels, for long ones. */
  stacked?: boolean
}

/** The parts of a charge. All amounts have as many decimals as the most exact one needs. */
export function CostTable({ rows, totalLabel, totalUsd, large = false, stacked = false }: CostTableProps) {
  const decimals = exactUsdDecimals([...rows.map(({ usd }) => usd ?? 0), totalUsd])
  const padding = large ? 'py-2' : 'py-1.5'
  return (
    <table className={cn('w-full border-collapse', !large && 'text-sm')}>
      <caption className="sr-only">Cost</caption>
      <tbody>
        {rows.map(({ label, note, usd }) => (
          <tr key={label} className="align-baseline">
            <td className={cn('py-1 pr-3', stacked ? 'break-words' : 'whitespace-nowrap')}>
              {label}
              {stacked ? <span className="block text-ink-3 text-sm">{note}</span> : null}
            </td>
            {stacked ? null : <td className="py-1 pr-3 text-ink-3 text-sm">{note}</td>}
            <td className="whitespace-nowrap py-1 text-right">
              {usd === null ? '' : formatUsd(usd, decimals)}
            </td>
          </tr>
        ))}
        <tr className="border-line border-t font-semibold">
          <td className={padding}>{totalLabel}</td>
          {stacked ? null : <td />}
          <td className={cn('text-right', padding, large && 'text-lg')}>{formatUsd(totalUsd, decimals)}</td>
        </tr>
      </tbody>
    </table>
  )
}

interface CostLine {
  label: string
  count: number
  unit: BilledUnit
  /** USD for `unit.per` of it; null when the cost is not from counting. */
  rateUsd: number | null
  usd: number | null
}

export interface CostLines {
  lines: CostLine[]
  /** The cost that the provider reported, before the discount; null when units were priced here. */
  reportedUsd: number | null
  discount: { percent: number; usd: number } | null
  /** The amount that the lines and the discount do not explain, from price tiers and special rates; null for none. */
  otherUsd: number | null
  totalUsd: number
}

/** The lines of a charge that the user confirmed. Its tokens have no price, as the amount is the provider's bill. */
export function createConfirmedLines(usage: UsageBuckets | null, totalUsd: number): CostLines {
  const lines = usage === null ? [] : countedLines(usage).map(toCostLine)
  return { lines, reportedUsd: null, discount: null, otherUsd: null, totalUsd }
}

/** The lines of a charge of `totalUsd`. Rates are at list price, before the negotiated discount. */
export function createCostLines(usage: UsageBuckets, price: AppliedPrice, totalUsd: number): CostLines {
  const { lines, reportedNano, discount, otherNano } = itemizeCost(usage, price, usdToNano(totalUsd))
  return {
    lines: lines.map(toCostLine),
    reportedUsd: toUsd(reportedNano),
    discount: discount && { percent: discount.percent, usd: -Number(discount.nano) / NANO_PER_USD },
    otherUsd: toUsd(otherNano),
    totalUsd,
  }
}

/** A line with its name and unit. */
function toCostLine({ billed, count, perMillionNano, nano }: SharedLine): CostLine {
  const [label, unit] = BILLED_NAMES[billed]
  const rateUsd = perMillionNano === null ? null : (perMillionNano / NANO_PER_USD) * (unit.per / 1e6)
  return { label, count, unit, rateUsd, usd: toUsd(nano) }
}

function toUsd(nano: string | null): number | null {
  return nano === null ? null : Number(nano) / NANO_PER_USD
}
