// Owns how a charge came about, line by line, from what the record says. Pure; the charge itself is the gateway's.
import { HOUR_WRITE_FACTOR, type Pricing } from '../../../shared/models.ts'
import type { AppliedPrice, UsageBuckets } from '../../../shared/requests.ts'

interface CostLine {
  label: string
  tokens: number
  /** USD per million tokens; null when the cost is not from counting tokens. */
  perMillionUsd: number | null
  usd: number | null
}

export interface Receipt {
  lines: CostLine[]
  /** What the provider itself said it costs, before the discount; null when tokens were priced here. */
  reportedUsd: number | null
  discount: { percent: number; plan: string; usd: number } | null
  /** What the lines and the discount do not explain: price tiers and rates that the record does not name. Null when nothing. */
  otherUsd: number | null
  totalUsd: number
}

/** Of a charge that the user confirmed: the tokens are only counted, as the amount is the provider's bill. */
export function confirmedReceipt(usage: UsageBuckets | null, totalUsd: number): Receipt {
  const lines = usage === null ? [] : linesOf(usage, () => null)
  return { lines, reportedUsd: null, discount: null, otherUsd: null, totalUsd }
}

/** A price without its own cache or audio rates charges those tokens as plain input or output. */
const buckets: readonly [keyof UsageBuckets, string, Rate][] = [
  ['input', 'Input', (pricing) => pricing.inputPerMillion],
  ['cacheRead', 'Cache read', (pricing) => pricing.cacheReadPerMillion ?? pricing.inputPerMillion],
  ['cacheWrite5m', 'Cache write', (pricing) => pricing.cacheWritePerMillion ?? pricing.inputPerMillion],
  [
    'cacheWrite1h',
    'Cache write, 1 hour',
    ({ cacheWritePerMillion: cacheWrite, inputPerMillion }) =>
      cacheWrite === undefined ? inputPerMillion : cacheWrite * HOUR_WRITE_FACTOR,
  ],
  ['audioInput', 'Audio input', (pricing) => pricing.inputPerMillion],
  ['output', 'Output', (pricing) => pricing.outputPerMillion],
  ['audioOutput', 'Audio output', (pricing) => pricing.outputPerMillion],
]

/** A difference that one rounding to a nano-dollar explains is none. */
const ROUNDING_USD = 1.5e-9

/** The receipt of a charge of `totalUsd`. Rates are USD per million tokens, at list price, before the plan's discount. */
export function receipt(usage: UsageBuckets, price: AppliedPrice, totalUsd: number): Receipt {
  const lines = linesOf(usage, (rate) => (price.reportedByProvider ? null : rate(price.pricing)))
  const share = price.discountPercent / 100
  const reportedUsd = price.reportedByProvider ? totalUsd / (1 - share) : null
  const listUsd = reportedUsd ?? lines.reduce((sum, line) => sum + (line.usd ?? 0), 0)
  const off = listUsd * share
  const other = totalUsd - (listUsd - off)
  return {
    lines,
    reportedUsd,
    discount: off > 0 ? { percent: price.discountPercent, plan: price.plan, usd: off } : null,
    otherUsd: Math.abs(other) <= ROUNDING_USD ? null : other,
    totalUsd,
  }
}

type Rate = (pricing: Pricing) => number

function linesOf(usage: UsageBuckets, perMillion: (rate: Rate) => number | null): CostLine[] {
  return buckets
    .filter(([bucket]) => usage[bucket] > 0)
    .map(([bucket, label, rate]) => {
      const tokens = usage[bucket]
      const perMillionUsd = perMillion(rate)
      const usd = perMillionUsd === null ? null : (tokens * perMillionUsd) / 1e6
      return { label, tokens, perMillionUsd, usd }
    })
}
