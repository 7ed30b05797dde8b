// Source: Anthropic's Messages API reference (`usage`). `input_tokens` excludes what was read from or written to the
// cache.

import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { otherTier, type ReportedUsage, sumUsage } from '../chat/usage.ts'
import {
  asObject,
  isGiven,
  isObject,
  type JsonObject,
  listObjects,
  optionalCount,
  tokenCount,
} from '../json/json.ts'

/** Merges a later report into an earlier one. A stream's counts are cumulative, so null and 0 do not override. */
export function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (!isObject(later)) return earlier
  const merged = { ...earlier }
  for (const [name, value] of Object.entries(later)) {
    if (!isGiven(value)) continue
    const previousCount = merged[name]
    if (isObject(previousCount) && isObject(value)) merged[name] = mergeUsage(previousCount, value)
    else if (value !== 0 || !previousCount) merged[name] = value
  }
  return merged
}

/** Anthropic's own calls, which the totals do not include. */
const APART: readonly unknown[] = ['compaction', 'advisor_message']

function readCallsApart({ iterations }: JsonObject): JsonObject[] {
  return listObjects(iterations).filter(({ type }) => APART.includes(type))
}

/** Tiers with prices other than the model's usual ones: fast mode, inference in the USA only, an advisor's model. */
function readTier(usage: JsonObject, apart: readonly JsonObject[]): { otherTier?: string } {
  const tiers = ['speed', 'inference_geo', 'service_tier'].flatMap(
    (member) => otherTier(usage[member], member).otherTier ?? [],
  )
  if (apart.some(({ type }) => type === 'advisor_message')) tiers.push('advisor')
  return tiers.length === 0 ? {} : { otherTier: tiers.join(' and ') }
}

/** Reads `usage` into disjoint buckets. Null when it is missing or implausible. */
export function readAnthropicUsage(usage: unknown): ReportedUsage | null {
  const mainCall = isObject(usage) ? readCall(usage) : null
  if (!isObject(usage) || !mainCall) return null
  const apart = readCallsApart(usage)
  const calls = [mainCall, ...apart.map(readCall).filter((call) => call !== null)].map(
    ({ buckets }) => buckets,
  )
  return {
    ...mainCall,
    ...(calls.length > 1 && { buckets: sumUsage(calls), calls }),
    ...readTier(usage, apart),
  }
}

/** The counts of one call, or of all calls of the model. */
function readCall(usage: JsonObject): ReportedUsage | null {
  const input = tokenCount(usage.input_tokens)
  const output = tokenCount(usage.output_tokens)
  const cacheRead = optionalCount(usage.cache_read_input_tokens)
  const split = asObject(usage.cache_creation)
  const oneHour = optionalCount(split.ephemeral_1h_input_tokens)
  const fiveMinutes = optionalCount(split.ephemeral_5m_input_tokens)
  const written = optionalCount(usage.cache_creation_input_tokens)
  const reasoning = optionalCount(asObject(usage.output_tokens_details).thinking_tokens)
  const webSearches = tokenCount(asObject(usage.server_tool_use).web_search_requests) ?? 0
  if (input === null || output === null || reasoning > output) return null
  if (Number.isNaN(cacheRead + oneHour + fiveMinutes + written + reasoning)) return null
  // Only the first report of a stream has the split; later additions to the total are 5-minute writes.
  const cacheWrite = Math.max(written, oneHour + fiveMinutes)
  const prompt = input + cacheRead + cacheWrite
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === 0) return null
  return {
    buckets: {
      ...NO_USAGE,
      input,
      cacheRead,
      cacheWrite5m: cacheWrite - oneHour,
      cacheWrite1h: oneHour,
      output,
      reasoning,
      ...(webSearches > 0 && { webSearches }),
    },
    costUsd: null,
    asChatUsage: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  }
}
