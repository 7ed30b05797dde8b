// Source: Anthropic's Messages API reference (`usage`). `input_tokens` excludes what was read from or written to the
// cache.
import { isObject, type JsonObject, tokenCount } from '../json.ts'
import { otherTier } from '../service-tier.ts'
import type { ReportedUsage } from '../token-usage.ts'

/** Absent counts are 0. Undefined for a value that is not a count. */
function count(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? undefined)
}

function readObject(usage: JsonObject, name: string): JsonObject {
  const value = usage[name]
  return isObject(value) ? value : {}
}

/** Merges a later report into an earlier one. A stream's counts are cumulative, so null and 0 do not override. */
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

/** Reads `usage` into disjoint buckets. Null when it is missing or implausible. */
export function readAnthropicUsage(usage: unknown): ReportedUsage | null {
  if (!isObject(usage)) return null
  const input = tokenCount(usage.input_tokens)
  const output = tokenCount(usage.output_tokens)
  const cacheRead = count(usage.cache_read_input_tokens)
  const split = readObject(usage, 'cache_creation')
  const oneHour = count(split.ephemeral_1h_input_tokens)
  const fiveMinutes = count(split.ephemeral_5m_input_tokens)
  const written = count(usage.cache_creation_input_tokens)
  const reasoning = count(readObject(usage, 'output_tokens_details').thinking_tokens)
  const webSearches = tokenCount(readObject(usage, 'server_tool_use').web_search_requests) ?? 0
  if (
    input === null ||
    output === null ||
    cacheRead === undefined ||
    oneHour === undefined ||
    fiveMinutes === undefined ||
    written === undefined ||
    reasoning === undefined ||
    reasoning > output
  ) {
    return null
  }
  // Only the first report of a stream has the split; later additions to the total are 5-minute writes.
  const cacheWrite = Math.max(written, oneHour + fiveMinutes)
  const prompt = input + cacheRead + cacheWrite
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === 0) return null
  return {
    buckets: {
      input,
      cacheRead,
      cacheWrite5m: cacheWrite - oneHour,
      cacheWrite1h: oneHour,
      audioInput: 0,
      output,
      audioOutput: 0,
      reasoning,
      cacheReadAudio: 0,
      ...(webSearches > 0 && { webSearches }),
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
