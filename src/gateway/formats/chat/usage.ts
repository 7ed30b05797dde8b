// Usage that providers report.

import { UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { ChatUsage } from '../../../shared/formats/chat-completion.ts'
import { asObject, tokenCount } from '../json/json.ts'

/** The usage that a provider reported, in disjoint buckets ready for pricing. */
export interface ReportedUsage {
  buckets: UsageBuckets
  /** The counts of each call if the answer took several, because a price may depend on the size of one call's prompt. */
  calls?: readonly UsageBuckets[]
  /** The cost in USD that the provider reported, or null. */
  costUsd: number | null
  /** The tier (`service_tier`) in which it was served, if its prices are not the standard ones. */
  otherTier?: string
  /** Some of the counts are not the provider's. */
  estimated?: boolean
  /** The counts as the clients' format has them in `usage`. */
  asChatUsage: ChatUsage
}

/** Counts that other formats have under names of their own; 0 for those that `usage` does not have. */
export function readUsageDetails(usage: ChatUsage): { cached: number; written: number; reasoning: number } {
  const prompt = asObject(usage.prompt_tokens_details)
  return {
    cached: tokenCount(prompt.cached_tokens) ?? 0,
    written: tokenCount(prompt.cache_write_tokens) ?? 0,
    reasoning: tokenCount(asObject(usage.completion_tokens_details).reasoning_tokens) ?? 0,
  }
}

/** Prompt tokens as clients count them. */
export function tokensIn(usage: UsageBuckets): number {
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    usage.audioInput +
    (usage.imageInput ?? 0)
  )
}

export function tokensOut(usage: UsageBuckets): number {
  return usage.output + usage.audioOutput + (usage.imageOutput ?? 0)
}

export const BUCKET_NAMES = UsageBuckets.keyof().options

export function sumUsage(all: readonly UsageBuckets[]): UsageBuckets {
  const [first] = all
  if (first && all.length === 1) return first
  const sum: UsageBuckets = { ...NO_USAGE }
  for (const usage of all) addUsage(sum, usage)
  return sum
}

export function addUsage(sum: UsageBuckets, usage: UsageBuckets): void {
  for (const name of BUCKET_NAMES) {
    const count = usage[name]
    if (count !== undefined) sum[name] = (sum[name] ?? 0) + count
  }
}

// Sources: the API references of OpenAI, Groq, Anthropic and Google (`service_tier`, `serviceTier`, `speed`, `inference_geo`).
// OpenAI renamed its tier "priority" to "fast".
const TIERS: Readonly<Record<string, ReadonlyMap<string, string | null>>> = {
  service_tier: new Map([
    ['', null],
    ['auto', null],
    ['batch', 'batch'],
    ['default', null],
    ['fast', 'priority'],
    ['flex', 'flex'],
    ['on_demand', null],
    ['priority', 'priority'],
    ['scale', 'scale'],
    ['standard', null],
    ['standard_only', null],
    ['ultrafast', 'ultrafast'],
    ['unspecified', null],
  ]),
  speed: new Map([
    ['fast', 'fast'],
    ['standard', null],
  ]),
  inference_geo: new Map([
    ['global', null],
    ['not_available', null],
    ['us', 'us'],
  ]),
}

/**
 * Marks usage in a tier with different prices, by the value of `service_tier` or of another such member. Empty for the
 * standard tier; what is not known is the tier "unknown", which has no price.
 */
export function otherTier(value: unknown, member = 'service_tier'): { otherTier?: string } {
  if (typeof value !== 'string') return {}
  const tiers = TIERS[member === 'serviceTier' ? 'service_tier' : member]
  const tier = tiers?.get(value.toLowerCase().replace(/^service_tier_/, ''))
  if (tier === null) return {}
  return { otherTier: tier ?? 'unknown' }
}
