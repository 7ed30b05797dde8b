import { countedLines, itemiseCost, type CostLine as SharedLine } from '../../../shared/cost-lines.ts'
import { NANO_PER_USD, usdToNano } from '../../../shared/money.ts'
import type { Billed } from '../../../shared/rates.ts'
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

export interface CostLines {
  lines: CostLine[]
  /** The cost that the provider reported, before the discount; null when units were priced here. */
  reportedUsd: number | null
  discount: { percent: number; usd: number } | null
  /** What the lines and the discount do not explain, from price tiers and special rates; null for none. */
  otherUsd: number | null
  totalUsd: number
}

/** The lines of a charge that the user confirmed. Its tokens have no price, as the amount is the provider's bill. */
export function createConfirmedLines(usage: UsageBuckets | null, totalUsd: number): CostLines {
  const lines = usage === null ? [] : countedLines(usage).map(toCostLine)
  return { lines, reportedUsd: null, discount: null, otherUsd: null, totalUsd }
}

const TOKENS: Unit = { name: 'tokens', per: 1e6, perName: 'million' }
const IMAGES: Unit = { name: 'images', per: 1, perName: 'image' }
const SEARCHES: Unit = { name: 'searches', per: 1000, perName: 'thousand' }

const NAMES: Readonly<Record<Billed, readonly [label: string, unit: Unit]>> = {
  input: ['Input', TOKENS],
  cacheRead: ['Cache read', TOKENS],
  cacheReadAudio: ['Cache read, audio', TOKENS],
  cacheReadImage: ['Cache read, images', TOKENS],
  cacheWrite5m: ['Cache write', TOKENS],
  cacheWrite1h: ['Cache write, 1 hour', TOKENS],
  audioInput: ['Audio input', TOKENS],
  imageInput: ['Image input', TOKENS],
  output: ['Output', TOKENS],
  audioOutput: ['Audio output', TOKENS],
  imageOutput: ['Image output', TOKENS],
  audioSeconds: ['Audio', { name: 'seconds', per: 60, perName: 'minute' }],
  characters: ['Speech', { name: 'characters', per: 1e6, perName: 'million' }],
  images: ['Images', IMAGES],
  searches: ['Searches', SEARCHES],
  webSearches: ['Web searches', SEARCHES],
  fileSearches: ['File searches', SEARCHES],
  requests: ['Fee', { name: 'calls', per: 1000, perName: 'thousand' }],
}

/** The lines of a charge of `totalUsd`. Rates are at list price, before the negotiated discount. */
export function createCostLines(usage: UsageBuckets, price: AppliedPrice, totalUsd: number): CostLines {
  const { lines, reportedNano, discount, otherNano } = itemiseCost(usage, price, usdToNano(totalUsd))
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
  const [label, unit] = NAMES[billed]
  const rateUsd = perMillionNano === null ? null : (perMillionNano / NANO_PER_USD) * (unit.per / 1e6)
  return { label, count, unit, rateUsd, usd: toUsd(nano) }
}

function toUsd(nano: string | null): number | null {
  return nano === null ? null : Number(nano) / NANO_PER_USD
}
