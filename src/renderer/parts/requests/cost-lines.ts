import type { AppliedPrice, UsageBuckets } from '../../../shared/api/requests.ts'
import { BILLED_NAMES, type BilledUnit } from '../../../shared/money/billed-names.ts'
import { countedLines, itemizeCost, type CostLine as SharedLine } from '../../../shared/money/cost-lines.ts'
import { NANO_PER_USD, usdToNano } from '../../../shared/money/money.ts'

export interface CostLine {
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
export function toCostLine({ billed, count, perMillionNano, nano }: SharedLine): CostLine {
  const [label, unit] = BILLED_NAMES[billed]
  const rateUsd = perMillionNano === null ? null : (perMillionNano / NANO_PER_USD) * (unit.per / 1e6)
  return { label, count, unit, rateUsd, usd: toUsd(nano) }
}

function toUsd(nano: string | null): number | null {
  return nano === null ? null : Number(nano) / NANO_PER_USD
}
