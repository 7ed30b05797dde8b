// The cost of a request: token counts times rates, in integers, rounded once.
import { HOUR_WRITE_FACTOR, type Pricing } from '../../shared/models.ts'
import { NANO_PER_USD, type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { UsageBuckets } from '../../shared/requests.ts'

/** USD per million tokens, for each bucket with its own price. */
export interface Rates {
  input: number
  cacheRead: number
  cacheReadAudio: number
  cacheWrite5m: number
  cacheWrite1h: number
  audioInput: number
  output: number
  audioOutput: number
  /** No price for audio is known: it is charged as text. */
  audioAsText?: true
}

const BUCKETS = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'output',
  'audioOutput',
] as const

/** A price without cache or audio rates charges those tokens as plain input or output. */
export function ratesOf(pricing: Pricing): Rates {
  const { inputPerMillion: input, outputPerMillion: output } = pricing
  const cacheWrite = pricing.cacheWritePerMillion ?? input
  return {
    input,
    cacheRead: pricing.cacheReadPerMillion ?? input,
    cacheReadAudio: pricing.cacheReadPerMillion ?? input,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: hourWrite(pricing.cacheWritePerMillion) ?? input,
    audioInput: input,
    output,
    audioOutput: output,
    audioAsText: true,
  }
}

/** The rate of a one-hour cache write, from that of a five-minute one. */
export function hourWrite(cacheWrite5m: number | undefined): number | undefined {
  return cacheWrite5m === undefined ? undefined : cacheWrite5m * HOUR_WRITE_FACTOR
}

/** Whether all tokens are charged at known rates: audio may be charged as text. */
export function isStated({ audioInput, audioOutput, cacheReadAudio }: UsageBuckets, rates: Rates): boolean {
  const charged =
    audioInput * rates.audioInput + audioOutput * rates.audioOutput + cacheReadAudio * rates.cacheReadAudio
  return charged === 0 || !rates.audioAsText
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
 * Cost of a request's calls in whole nano-dollars: Σ tokens × rate × (100 − discount) / 100, exact in between and rounded
 * half up once at the end; at most `MAX_REQUEST_NANO`. Rates are taken to the nano-dollar per million tokens.
 */
export function costOfCalls(calls: readonly PricedUsage[], discountPercent: number): NanoUsd {
  return applyDiscountCapped(nanoTimesMillion(calls), discountPercent)
}

function nanoTimesMillion(calls: readonly PricedUsage[]): bigint {
  let sum = 0n
  for (const { usage, rates } of calls) {
    for (const bucket of BUCKETS) sum += BigInt(usage[bucket]) * nanoRate(rates[bucket])
    sum += BigInt(usage.cacheReadAudio) * (nanoRate(rates.cacheReadAudio) - nanoRate(rates.cacheRead))
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
