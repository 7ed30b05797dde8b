// Token counts in the chat-completions format and its vendors' variants. Sources: OpenAI's API reference (usage,
// *_tokens_details), DeepSeek's `prompt_cache_hit_tokens`, OpenRouter's usage accounting (`cost`, `cost_details`),
// xAI's `cost_in_usd_ticks`. Searches: OpenRouter's `server_tool_use`, xAI's `num_sources_used`, Perplexity's
// `num_search_queries`.

import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { Quirks } from '../chat/codec-types.ts'
import { otherTier, type ReportedUsage } from '../chat/usage.ts'
import { asObject, isObject, type JsonObject, optionalCount, tokenCount, wholeNumber } from '../json/json.ts'

/** A higher cost for one request means that the server uses another unit. */
const MAX_COST_USD = 10_000
/** xAI's unit (docs.x.ai, "Cost tracking"). */
const TICKS_PER_USD = 10_000_000_000

function readCost(usage: JsonObject): number | null {
  const amount = (value: unknown): number | null =>
    typeof value === 'number' && value >= 0 && value <= MAX_COST_USD ? value : null
  const ticks = wholeNumber(usage.cost_in_usd_ticks, 0, MAX_COST_USD * TICKS_PER_USD)
  const cost =
    amount(isObject(usage.cost) ? usage.cost.total_cost : usage.cost) ??
    (ticks === null ? null : ticks / TICKS_PER_USD)
  if (cost === null || usage.is_byok !== true) return cost
  // If the user has a vendor key at OpenRouter, `cost` is OpenRouter's fee only, without the vendor's charge.
  const inference = amount(asObject(usage.cost_details).upstream_inference_cost)
  return inference === null ? null : cost + inference
}

function readWebSearches(usage: JsonObject): number {
  const { web_search_requests: requests } = asObject(usage.server_tool_use)
  return tokenCount(requests ?? usage.num_sources_used ?? usage.num_search_queries) ?? 0
}

/**
 * Whether `completion_tokens` excludes the reasoning tokens. Vendors differ, and some are inconsistent, so the sum that
 * equals `total_tokens` decides, and otherwise the vendor's quirk.
 */
function reasoningIsAdditive(
  prompt: number,
  completion: number,
  reasoning: number,
  total: number | null,
  quirks: Quirks,
): boolean {
  if (reasoning === 0 || total === prompt + completion) return false
  if (total === prompt + completion + reasoning || reasoning > completion) return true
  return quirks.additiveReasoning === true
}

/**
 * Reads `usage` into disjoint buckets. Null when it is missing or implausible. `tier`: the answer's `service_tier`.
 */
export function readUsage(usage: unknown, quirks: Quirks, tier?: unknown): ReportedUsage | null {
  if (!isObject(usage)) return null
  const prompt = tokenCount(usage.prompt_tokens)
  const completion = tokenCount(usage.completion_tokens)
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === null || prompt === 0 || completion === null) return null

  const inPrompt = asObject(usage.prompt_tokens_details)
  const inCompletion = asObject(usage.completion_tokens_details)
  const cacheRead = optionalCount(
    inPrompt.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
  )
  const cacheWrite = optionalCount(inPrompt.cache_write_tokens)
  const countAudio = optionalCount(inPrompt.audio_tokens)
  const reasoning = optionalCount(inCompletion.reasoning_tokens)
  const audioOut = optionalCount(inCompletion.audio_tokens)
  if (Number.isNaN(cacheRead + cacheWrite + countAudio + reasoning + audioOut)) return null
  if (cacheRead + cacheWrite > prompt) return null

  const additive = reasoningIsAdditive(prompt, completion, reasoning, tokenCount(usage.total_tokens), quirks)
  const output = completion + (additive ? reasoning : 0)
  if (audioOut > output) return null
  // Cached audio tokens are counted once, as cached.
  const audioInput = Math.min(countAudio, prompt - cacheRead - cacheWrite)

  const webSearches = readWebSearches(usage) || (quirks.searchesOnce ? 1 : 0)
  const { cost: _, ...counts } = usage
  return {
    buckets: {
      ...NO_USAGE,
      input: prompt - cacheRead - cacheWrite - audioInput,
      cacheRead,
      cacheWrite5m: cacheWrite,
      audioInput,
      output: output - audioOut,
      audioOutput: audioOut,
      reasoning,
      ...(webSearches > 0 && { webSearches }),
    },
    costUsd: readCost(usage),
    ...otherTier(tier),
    asChatUsage: {
      ...counts,
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      ...(cacheRead > 0 && { prompt_tokens_details: { ...inPrompt, cached_tokens: cacheRead } }),
    },
  }
}
