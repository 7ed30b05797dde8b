// Source: AWS's API reference, `TokenUsage`: `inputTokens` excludes what was read from the cache or written to it. Reasoning is
// counted in the output, and not apart.
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { otherTier, type ReportedUsage } from '../chat/usage.ts'
import { asObject, isObject, listObjects, optionalCount, tokenCount } from '../json/json.ts'
import { countsCacheTwice } from './makers.ts'

/** Where the usage was reported. */
interface Report {
  model: string
  isStream: boolean
}

/**
 * Reads `usage` and `serviceTier` of an answer, or of a stream's `metadata`. Null when they are missing or implausible. Streams
 * of OpenAI's models have the cache in `inputTokens` too, unlike plain answers (maximhq/bifrost#6942: 4,995 with 4,993 of them
 * written; the plain answer: 2). With other models a larger input than the cache is usual.
 */
export function readConverseUsage(answer: unknown, { model, isStream }: Report): ReportedUsage | null {
  const { usage, serviceTier } = asObject(answer)
  if (!isObject(usage)) return null
  const reported = tokenCount(usage.inputTokens)
  const output = tokenCount(usage.outputTokens)
  const cacheRead = optionalCount(usage.cacheReadInputTokens)
  const cacheWrite = optionalCount(usage.cacheWriteInputTokens)
  const oneHour = listObjects(usage.cacheDetails)
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => sum + optionalCount(inputTokens), 0)
  if (reported === null || output === null || Number.isNaN(cacheRead + cacheWrite + oneHour)) return null
  const cached = cacheRead + cacheWrite
  const input = isStream && countsCacheTwice(model) && reported >= cached ? reported - cached : reported
  const prompt = input + cached
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === 0) return null
  const cacheWrite1h = Math.min(oneHour, cacheWrite)
  return {
    buckets: {
      ...NO_USAGE,
      input,
      cacheRead,
      cacheWrite5m: cacheWrite - cacheWrite1h,
      cacheWrite1h,
      output,
    },
    costUsd: null,
    ...otherTier(asObject(serviceTier).type),
    asChatUsage: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  }
}
