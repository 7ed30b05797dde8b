// The cost of a request: counts times rates, in integers, rounded once.
import { NANO_PER_USD, type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { Billed, Rates } from '../../shared/rates.ts'
import type { UsageBuckets } from '../../shared/requests.ts'

/** What is charged in full. */
const BUCKETS = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'audioOutput',
  'imageOutput',
  'audioSeconds',
  'characters',
  'images',
  'searches',
  'webSearches',
  'fileSearches',
] as const satisfies readonly Billed[]

/** Parts of `cacheRead` with a price of their own. */
const CACHED_PARTS = ['cacheReadAudio', 'cacheReadImage'] as const satisfies readonly Billed[]

/** Whether everything is charged at a known rate. */
export function isStated(usage: UsageBuckets, { assumed = [] }: Rates): boolean {
  return assumed.every((billed) => billed === 'requests' || !usage[billed])
}

/**
 * 100,000 USD. No single request costs more. A higher result, from implausible figures, is limited to this, so that sums
 * of charges and reservations stay within the range of exact integers.
 */
export const MAX_REQUEST_NANO = 100_000 * NANO_PER_USD

/** The usage of one upstream call, and the rates for a prompt of its size. */
export interface PricedUsage {
  usage: UsageBuckets
  rates: Rates
}

/**
 * Cost of a request's calls in whole nano-dollars: Σ units × rate × (100 − discount) / 100, exact in between and rounded
 * half up once at the end; at most `MAX_REQUEST_NANO`. Rates are taken to the nano-dollar per million units.
 */
export function costOfCalls(calls: readonly PricedUsage[], discountPercent: number): NanoUsd {
  return applyDiscountCapped(nanoTimesMillion(calls), discountPercent)
}

function nanoTimesMillion(calls: readonly PricedUsage[]): bigint {
  let sum = 0n
  for (const { usage, rates } of calls) {
    sum += nanoRate(rates.requests)
    for (const bucket of BUCKETS) sum += BigInt(usage[bucket] ?? 0) * nanoRate(rates[bucket])
    for (const part of CACHED_PARTS)
      sum += BigInt(usage[part] ?? 0) * (nanoRate(rates[part]) - nanoRate(rates.cacheRead))
  }
  return sum
}

const nanoRate = (perMillion: number): bigint => BigInt(Math.round(perMillion * NANO_PER_USD))

/** A cost that the provider itself reported, in USD, after our plan's discount; `MAX_REQUEST_NANO` at the most. */
export function reportedCost(costUsd: number, discountPercent: number): NanoUsd {
  return applyDiscountCapped(BigInt(Math.round(costUsd * NANO_PER_USD)) * 1_000_000n, discountPercent)
}

function applyDiscount(nanoTimesMillion: bigint, discountPercent: number): NanoUsd {
  const divisor = 100_000_000n
  const scaled = nanoTimesMillion * BigInt(100 - discountPercent)
  return nanoUsd(Number((scaled + divisor / 2n) / divisor))
}

function applyDiscountCapped(nanoTimesMillion: bigint, discountPercent: number): NanoUsd {
  const most = BigInt(MAX_REQUEST_NANO) * 1_000_000n
  return applyDiscount(nanoTimesMillion < most ? nanoTimesMillion : most, discountPercent)
}
