import { type Billed, ratesOf } from '../../../shared/rates.ts'
import type { AppliedPrice, UsageBuckets } from '../../../shared/requests.ts'

/** What is counted, and for how many of it a price is given. */
interface Unit {
  name: string
  per: number
  perName: string
}

interface CostLine {
  label: string
  count: number
  unit: Unit
  /** USD for `unit.per` of it; null when the cost is not from counting. */
  rateUsd: number | null
  usd: number | null
}

export interface Receipt {
  lines: CostLine[]
  /** The cost that the provider reported, before the discount; null when units were priced here. */
  reportedUsd: number | null
  discount: { percent: number; usd: number } | null
  /** The difference that the lines and the discount do not explain, from price tiers and special rates; null for none. */
  otherUsd: number | null
  totalUsd: number
}

/** The receipt of a charge that the user confirmed. Its tokens have no price, as the amount is the provider's bill. */
export function createConfirmedReceipt(usage: UsageBuckets | null, totalUsd: number): Receipt {
  const lines = usage === null ? [] : createLines(usage, null)
  return { lines, reportedUsd: null, discount: null, otherUsd: null, totalUsd }
}

const TOKENS: Unit = { name: 'tokens', per: 1e6, perName: 'million' }
const IMAGES: Unit = { name: 'images', per: 1, perName: 'image' }
const SEARCHES: Unit = { name: 'searches', per: 1000, perName: 'thousand' }

const buckets: readonly [Exclude<Billed, 'requests'>, string, Unit][] = [
  ['input', 'Input', TOKENS],
  ['cacheRead', 'Cache read', TOKENS],
  ['cacheWrite5m', 'Cache write', TOKENS],
  ['cacheWrite1h', 'Cache write, 1 hour', TOKENS],
  ['audioInput', 'Audio input', TOKENS],
  ['imageInput', 'Image input', TOKENS],
  ['output', 'Output', TOKENS],
  ['audioOutput', 'Audio output', TOKENS],
  ['imageOutput', 'Image output', TOKENS],
  ['audioSeconds', 'Audio', { name: 'seconds', per: 60, perName: 'minute' }],
  ['characters', 'Speech', { name: 'characters', per: 1e6, perName: 'million' }],
  ['images', 'Images', IMAGES],
  ['searches', 'Searches', SEARCHES],
  ['webSearches', 'Web searches', SEARCHES],
  ['fileSearches', 'File searches', SEARCHES],
]

/** Smaller differences come from rounding to nano-dollars. */
const ROUNDING_USD = 1.5e-9

/** The receipt of a charge of `totalUsd`. Rates are at list price, before the negotiated discount. */
export function createReceipt(usage: UsageBuckets, price: AppliedPrice, totalUsd: number): Receipt {
  const lines = createLines(usage, price.reportedByProvider ? null : price)
  const share = price.discountPercent / 100
  const reportedUsd = price.reportedByProvider ? totalUsd / (1 - share) : null
  const listUsd = reportedUsd ?? lines.reduce((sum, line) => sum + (line.usd ?? 0), 0)
  const off = listUsd * share
  const other = totalUsd - (listUsd - off)
  return {
    lines,
    reportedUsd,
    discount: off > 0 ? { percent: price.discountPercent, usd: off } : null,
    otherUsd: Math.abs(other) <= ROUNDING_USD ? null : other,
    totalUsd,
  }
}

function createLines(usage: UsageBuckets, price: AppliedPrice | null): CostLine[] {
  const rates = price && ratesOf(price.pricing, price.tier)
  return buckets.flatMap(([bucket, label, unit]) => {
    const count = usage[bucket] ?? 0
    if (count === 0) return []
    const perMillion = rates?.[bucket] ?? null
    const rateUsd = perMillion === null ? null : (perMillion * unit.per) / 1e6
    return [{ label, count, unit, rateUsd, usd: perMillion === null ? null : (count * perMillion) / 1e6 }]
  })
}
