// The lines of a charge, in exact decimals: they add up to the charge to the last digit.

import type { AppliedPrice, UsageBuckets } from '../api/requests.ts'
import { BILLED_BUCKETS, type BilledPart, CACHED_PARTS } from '../api/usage-buckets.ts'
import type { NanoUsd } from './money.ts'
import { NANO_PER_USD } from './money.ts'
import { getRates, type Rates } from './rates.ts'

export interface CostLine {
  billed: BilledPart
  count: number
  /** Nano-dollars per million of it; null when the cost is not from counting. */
  perMillionNano: number | null
  /** Nano-dollars, as an exact decimal number. */
  nano: string | null
}

export interface ItemizedCost {
  lines: CostLine[]
  /** The cost that the provider reported, before the discount; null when units were priced here. */
  reportedNano: string | null
  discount: { percent: number; nano: string } | null
  /** The amount that the lines do not explain, such as a retry that was charged as well; null for none. */
  otherNano: string | null
  /** The difference to whole nano-dollars, below one; null for none. */
  roundingNano: string | null
}

/** A nano-dollar in the unit of the sums here, which is small enough for a rate per million and a discount in percent. */
const PER_NANO = 100_000_000n

/** The lines of a charge of `totalNano`. Rates are list prices, before the negotiated discount. */
export function itemizeCost(usage: UsageBuckets, price: AppliedPrice, totalNano: NanoUsd): ItemizedCost {
  const percent = BigInt(price.discountPercent)
  const total = BigInt(totalNano) * PER_NANO
  const counted = countUnits(usage)
  if (price.reportedByProvider) {
    const reported = percent < 100n ? ((total / PER_NANO) * 100n) / (100n - percent) : 0n
    return itemized(withoutPrices(counted), { list: reported * PER_NANO, percent, total, isReported: true })
  }
  const rates = getRates(price.pricing, price.tier)
  const lines = counted.map((line) => priced(line, nanoRate(rates, line.billed)))
  const fee = feeLine(rates, { list: computeSum(lines), percent, total })
  const all = fee ? [...lines, fee] : lines
  return itemized(all, { list: computeSum(all), percent, total, isReported: false })
}

/** The lines of a charge that is not from counting: what was used, without prices. */
export function countedLines(usage: UsageBuckets): CostLine[] {
  return withoutPrices(countUnits(usage))
}

interface UnpricedCount {
  billed: BilledPart
  count: number
}

interface PricedLine extends CostLine {
  amount: bigint
}

interface Sums {
  list: bigint
  percent: bigint
  total: bigint
}

/** The units with a price, each once. */
function countUnits(usage: UsageBuckets): UnpricedCount[] {
  const parts = CACHED_PARTS.map((billed) => ({ billed, count: usage[billed] ?? 0 }))
  const inParts = parts.reduce((sum, { count }) => sum + count, 0)
  return BILLED_BUCKETS.flatMap((billed): UnpricedCount[] => {
    const count = usage[billed] ?? 0
    return billed === 'cacheRead' ? [{ billed, count: count - inParts }, ...parts] : [{ billed, count }]
  }).filter(({ count }) => count !== 0)
}

function withoutPrices(counted: readonly UnpricedCount[]): CostLine[] {
  return counted.map((line) => ({ ...line, perMillionNano: null, nano: null }))
}

function nanoRate(rates: Rates, billed: BilledPart): number {
  return Math.round(rates[billed] * NANO_PER_USD)
}

function priced({ billed, count }: UnpricedCount, perMillionNano: number): PricedLine {
  const amount = BigInt(count) * BigInt(perMillionNano) * 100n
  return { billed, count, perMillionNano, nano: formatNano(amount), amount }
}

/** The price of a call besides its tokens, as often as the charge contains it; undefined if there is none. */
function feeLine(rates: Rates, { list, percent, total }: Sums): PricedLine | undefined {
  const rate = nanoRate(rates, 'requests')
  if (rate === 0) return undefined
  const each = BigInt(rate) * (100n - percent)
  const rest = total - (list * (100n - percent)) / 100n
  const calls = each > 0n && rest > each ? Number((rest + each / 2n) / each) : 1
  return priced({ billed: 'requests', count: calls }, rate)
}

function itemized(
  lines: readonly (CostLine | PricedLine)[],
  { list, percent, total, isReported }: Sums & { isReported: boolean },
): ItemizedCost {
  const off = (list * percent) / 100n
  const rest = total - (list - off)
  const isRounding = rest > -PER_NANO && rest < PER_NANO
  return {
    lines: lines.map(({ billed, count, perMillionNano, nano }) => ({ billed, count, perMillionNano, nano })),
    reportedNano: isReported ? formatNano(list) : null,
    discount: off > 0n ? { percent: Number(percent), nano: formatNano(-off) } : null,
    otherNano: isRounding ? null : formatNano(rest),
    roundingNano: isRounding && rest !== 0n ? formatNano(rest) : null,
  }
}

function computeSum(lines: readonly PricedLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}

function formatNano(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const decimals = String(size % PER_NANO)
    .padStart(8, '0')
    .replace(/0+$/, '')
  return `${sign}${size / PER_NANO}${decimals === '' ? '' : `.${decimals}`}`
}

/** The sum of amounts as `itemizeCost` writes them, in 10⁻⁸ nano-dollars; null if one is not such an amount. */
export function addNano(amounts: readonly (string | null)[]): bigint | null {
  let sum = 0n
  for (const text of amounts) {
    if (text === null) continue
    const match = /^(-?)(\d{1,30})(?:\.(\d{1,8}))?$/.exec(text)
    if (!match) return null
    const [, sign, whole = '', decimals = ''] = match
    const size = BigInt(whole) * PER_NANO + BigInt(decimals.padEnd(8, '0'))
    sum += sign === '-' ? -size : size
  }
  return sum
}

/** Nano-dollars as `addNano` adds them. */
export function scaleNano(nano: number): bigint {
  return BigInt(nano) * PER_NANO
}
