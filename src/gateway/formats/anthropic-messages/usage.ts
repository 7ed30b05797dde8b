// Owns the reading of token counts in Anthropic's format. Source: Anthropic's Messages API reference (`usage`), where
// `input_tokens` leaves out what was read from or written to the cache. Knows nothing of prices.

import { isObject, type JsonObject, tokenCount } from '../json.ts'
import { otherTier } from '../service-tier.ts'
import type { ReportedUsage } from '../token-usage.ts'

/** A count that may be absent or null (0). Undefined when it is there and is not a count. */
function count(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? undefined)
}

function inside(usage: JsonObject, name: string): JsonObject {
  const value = usage[name]
  return isObject(value) ? value : {}
}

/** What a later report says, over an earlier one: a stream's counts are cumulative, so null and 0 take nothing back. */
export function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (!isObject(later)) return earlier
  const merged = { ...earlier }
  for (const [name, value] of Object.entries(later)) {
    if (value === undefined || value === null) continue
    const before = merged[name]
    if (isObject(before) && isObject(value)) merged[name] = mergeUsage(before, value)
    else if (value !== 0 || !before) merged[name] = value
  }
  return merged
}

/** What a `usage` member says, in disjoint buckets. Null when it is missing or cannot be true. */
export function readAnthropicUsage(usage: unknown): ReportedUsage | null {
  if (!isObject(usage)) return null
  const input = tokenCount(usage.input_tokens)
  const output = tokenCount(usage.output_tokens)
  const cacheRead = count(usage.cache_read_input_tokens)
  const split = inside(usage, 'cache_creation')
  const hour = count(split.ephemeral_1h_input_tokens)
  const minutes = count(split.ephemeral_5m_input_tokens)
  const written = count(usage.cache_creation_input_tokens)
  const reasoning = count(inside(usage, 'output_tokens_details').thinking_tokens)
  if (
    input === null ||
    output === null ||
    cacheRead === undefined ||
    hour === undefined ||
    minutes === undefined ||
    written === undefined ||
    reasoning === undefined ||
    reasoning > output
  ) {
    return null
  }
  // The split comes at a stream's start only; what the total grows by later is of the usual kind.
  const cacheWrite = Math.max(written, hour + minutes)
  const prompt = input + cacheRead + cacheWrite
  // A prompt of no tokens is a server that does not count.
  if (prompt === 0) return null
  return {
    buckets: {
      input,
      cacheRead,
      cacheWrite5m: cacheWrite - hour,
      cacheWrite1h: hour,
      audioInput: 0,
      output,
      audioOutput: 0,
      reasoning,
      cacheReadAudio: 0,
    },
    costUsd: null,
    ...otherTier(usage.service_tier),
    asChatUsage: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  }
}
