import type { ChatUsage } from '../../shared/chat-completion.ts'
import { UsageBuckets } from '../../shared/requests.ts'

/** What a provider said it counted, in disjoint buckets ready for pricing. */
export interface ReportedUsage {
  buckets: UsageBuckets
  /** The counts of each call, where the answer took several: a price may depend on the size of one call's prompt. */
  calls?: readonly UsageBuckets[]
  /** The cost in USD that the provider itself reported; null when it gives none. */
  costUsd: number | null
  /** Served in a tier (`service_tier`) that has prices of its own, which nobody here knows. */
  otherTier?: true
  /** The counts in the clients' format, as the usage chunk or the `usage` member shows them. */
  asChatUsage: ChatUsage
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
  cacheReadAudio: 0,
}

/** Prompt tokens as clients count them: every bucket that was sent. */
export function tokensIn(usage: UsageBuckets): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.audioInput
}

export function tokensOut(usage: UsageBuckets): number {
  return usage.output + usage.audioOutput
}

const BUCKET_NAMES = UsageBuckets.keyof().options

/** The buckets of several calls together. */
export function sumUsage(all: readonly UsageBuckets[]): UsageBuckets {
  const sum = { ...NO_USAGE }
  for (const usage of all) for (const name of BUCKET_NAMES) sum[name] += usage[name]
  return sum
}
