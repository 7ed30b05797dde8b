// The cost of a request: counts times rates, in integers, rounded once.

import type { UsageBuckets } from '../../shared/api/requests.ts'
import { BILLED_BUCKETS, CACHED_PARTS } from '../../shared/api/usage-buckets.ts'
import { NANO_PER_USD, type NanoUsd, nanoUsd } from '../../shared/money/money.ts'
import type { Rates } from '../../shared/money/rates.ts'

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

/** The usage of many calls with the same rates. */
export interface SummedUsage extends PricedUsage {
  requests: number
}

/** The cost of many requests together, as `costOfCalls` computes that of one; rounded once, and not limited. */
export function costOfSums(sums: readonly SummedUsage[], discountPercent: number): NanoUsd {
  return applyDiscount(nanoTimesMillion(sums), discountPercent)
}

/**
 * Cost of a request's calls in whole nano-dollars: Σ units × rate × (100 − discount) / 100, exact in between and rounded
 * half up once at the end; at most `MAX_REQUEST_NANO`. Rates are taken to the nano-dollar per million units.
 */
export function costOfCalls(calls: readonly PricedUsage[], discountPercent: number): NanoUsd {
  const sum = smallNanoTimesMillion(calls)
  return sum === null
    ? applyDiscountCapped(nanoTimesMillion(calls), discountPercent)
    : applyDiscountToSmall(sum, discountPercent)
}

/** Like `nanoTimesMillion` in numbers, which take a quarter of the time; null if they cannot hold it exactly. */
function smallNanoTimesMillion(calls: readonly PricedUsage[]): number | null {
  let sum = 0
  for (const { usage, rates } of calls) {
    sum += Math.round(rates.requests * NANO_PER_USD)
    for (const bucket of BILLED_BUCKETS) {
      const count = usage[bucket]
      // Most are zero.
      if (count) sum += count * Math.round(rates[bucket] * NANO_PER_USD)
    }
    for (const part of CACHED_PARTS) {
      const count = usage[part]
      if (!count) continue
      // A subtraction could hide that the sum was too large.
      if (!isExact(sum)) return null
      sum += count * (Math.round(rates[part] * NANO_PER_USD) - Math.round(rates.cacheRead * NANO_PER_USD))
    }
    if (!isExact(sum)) return null
  }
  return sum
}

function isExact(sum: number): boolean {
  return sum >= 0 && Number.isSafeInteger(sum)
}

/** Like `applyDiscount` for a sum that is a safe integer: divided first, so that no step exceeds one. */
function applyDiscountToSmall(nanoTimesMillion: number, discountPercent: number): NanoUsd {
  const divisor = 100_000_000
  const rest = nanoTimesMillion % divisor
  const whole = (nanoTimesMillion - rest) / divisor
  const factor = 100 - discountPercent
  return nanoUsd(whole * factor + Math.floor((rest * factor + divisor / 2) / divisor))
}

function nanoTimesMillion(calls: readonly (PricedUsage & Partial<SummedUsage>)[]): bigint {
  let sum = 0n
  for (const { usage, rates, requests = 1 } of calls) {
    sum += BigInt(requests) * nanoRate(rates.requests)
    for (const bucket of BILLED_BUCKETS) sum += BigInt(usage[bucket] ?? 0) * nanoRate(rates[bucket])
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
