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
  /** The cost that the provider reported, before the discount; null when tokens were priced here. */
  reportedUsd: number | null
  discount: { percent: number; plan: string; usd: number } | null
  /** The difference that the lines and the discount do not explain, from price tiers and special rates; null for none. */
  otherUsd: number | null
  totalUsd: number
}

/** The receipt of a charge that the user confirmed. Its tokens have no price, as the amount is the provider's bill. */
export function createConfirmedReceipt(usage: UsageBuckets | null, totalUsd: number): Receipt {
  const lines = usage === null ? [] : createLines(usage, () => null)
  return { lines, reportedUsd: null, discount: null, otherUsd: null, totalUsd }
}

/** Without its own cache or audio rates, a price charges those tokens as input or output. */
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

/** Smaller differences come from rounding to nano-dollars. */
const ROUNDING_USD = 1.5e-9

/** The receipt of a charge of `totalUsd`. Rates are USD per million tokens, at list price, before the plan's discount. */
export function createReceipt(usage: UsageBuckets, price: AppliedPrice, totalUsd: number): Receipt {
  const lines = createLines(usage, (rate) => (price.reportedByProvider ? null : rate(price.pricing)))
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

function createLines(usage: UsageBuckets, perMillion: (rate: Rate) => number | null): CostLine[] {
  return buckets
    .filter(([bucket]) => usage[bucket] > 0)
    .map(([bucket, label, rate]) => {
      const tokens = usage[bucket]
      const perMillionUsd = perMillion(rate)
      const usd = perMillionUsd === null ? null : (tokens * perMillionUsd) / 1e6
      return { label, tokens, perMillionUsd, usd }
    })
}
