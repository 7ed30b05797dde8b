// Owns the price of a request: token buckets times rates, in integers, rounded once. Knows nothing of where rates come from.
import type { Pricing } from '../shared/models.ts'
import { NANO_PER_USD, type NanoUsd, nanoUsd } from '../shared/money.ts'
import type { UsageBuckets } from '../shared/requests.ts'

/** USD per million tokens for each bucket that is priced apart. */
export interface Rates {
  input: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
  audioInput: number
  output: number
  audioOutput: number
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

/** A price without its own cache or audio rates charges those tokens as plain input or output. */
export function ratesOf(pricing: Pricing): Rates {
  const { inputPerMillion: input, outputPerMillion: output } = pricing
  const cacheWrite = pricing.cacheWritePerMillion ?? input
  return {
    input,
    cacheRead: pricing.cacheReadPerMillion ?? input,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: cacheWrite,
    audioInput: input,
    output,
    audioOutput: output,
  }
}

/**
 * Cost of `usage` in whole nano-dollars: Σ tokens × rate × (100 − discount) / 100, exact in between and rounded half
 * up once at the end. Rates are taken to the nano-dollar per million tokens.
 */
export function costOf(usage: UsageBuckets, rates: Rates, discountPercent: number): NanoUsd {
  let nanoTimesMillion = 0n
  for (const bucket of BUCKETS) {
    nanoTimesMillion += BigInt(usage[bucket]) * BigInt(Math.round(rates[bucket] * NANO_PER_USD))
  }
  return roundShare(nanoTimesMillion, discountPercent)
}

/** A cost that the provider itself reported, in USD, after our plan's discount. */
export function reportedCost(costUsd: number, discountPercent: number): NanoUsd {
  return roundShare(BigInt(Math.round(costUsd * NANO_PER_USD)) * 1_000_000n, discountPercent)
}

function roundShare(nanoTimesMillion: bigint, discountPercent: number): NanoUsd {
  const divisor = 100_000_000n
  const scaled = nanoTimesMillion * BigInt(100 - discountPercent)
  return nanoUsd(Number((scaled + divisor / 2n) / divisor))
}

export const NO_USAGE: UsageBuckets = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  output: 0,
  audioOutput: 0,
  reasoning: 0,
}

/** Prompt tokens as clients count them: every bucket that was sent. */
export function tokensIn(usage: UsageBuckets): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.audioInput
}

export function tokensOut(usage: UsageBuckets): number {
  return usage.output + usage.audioOutput
}
