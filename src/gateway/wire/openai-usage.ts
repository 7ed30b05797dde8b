// Owns the reading of token counts in the chat-completions format and its vendors' dialects.
// Sources: OpenAI's API reference (usage, *_tokens_details), DeepSeek's `prompt_cache_hit_tokens`, OpenRouter's
// usage accounting (`cost`, `cost_details`). Knows nothing of prices.
import type { ReportedUsage } from '../chat/events.ts'
import type { Quirks } from '../upstream/target.ts'
import { isObject, type JsonObject, wholeNumber } from './json.ts'

const MAX_COST_USD = 1_000_000

/** A count that may be absent (0). Undefined when it is there and is not a count. */
function count(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : (wholeNumber(value) ?? undefined)
}

function details(usage: JsonObject, name: string): JsonObject {
  const value = usage[name]
  return isObject(value) ? value : {}
}

function costIn(usage: JsonObject): number | null {
  const amount = (value: unknown): number | null =>
    typeof value === 'number' && value >= 0 && value <= MAX_COST_USD ? value : null
  const cost = amount(isObject(usage.cost) ? usage.cost.total_cost : usage.cost)
  if (cost === null || usage.is_byok !== true) return cost
  // With the user's own key behind OpenRouter, `cost` is its fee alone; the vendor's charge comes on top.
  const inference = amount(details(usage, 'cost_details').upstream_inference_cost)
  return inference === null ? null : cost + inference
}

/**
 * Whether reasoning tokens come on top of `completion_tokens`. Vendors disagree, and one vendor with itself, so the
 * sum that equals `total_tokens` decides; where neither or no sum does, the vendor's quirk.
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

/** What a `usage` member says, in disjoint buckets. Null when it is missing or cannot be true. */
export function readUsage(usage: unknown, quirks: Quirks): ReportedUsage | null {
  if (!isObject(usage)) return null
  const prompt = wholeNumber(usage.prompt_tokens)
  const completion = wholeNumber(usage.completion_tokens)
  if (prompt === null || completion === null) return null

  const inPrompt = details(usage, 'prompt_tokens_details')
  const inCompletion = details(usage, 'completion_tokens_details')
  const cacheRead = count(inPrompt.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens)
  const cacheWrite = count(inPrompt.cache_write_tokens)
  const audioIn = count(inPrompt.audio_tokens)
  const reasoning = count(inCompletion.reasoning_tokens)
  const audioOut = count(inCompletion.audio_tokens)
  if (
    cacheRead === undefined ||
    cacheWrite === undefined ||
    audioIn === undefined ||
    reasoning === undefined ||
    audioOut === undefined ||
    cacheRead + cacheWrite > prompt
  ) {
    return null
  }

  const additive = reasoningIsAdditive(prompt, completion, reasoning, wholeNumber(usage.total_tokens), quirks)
  const output = completion + (additive ? reasoning : 0)
  if (audioOut > output) return null
  // Audio may be cached too; the cached part is counted once, as cached.
  const audioInput = Math.min(audioIn, prompt - cacheRead - cacheWrite)

  const { cost: _, ...counts } = usage
  return {
    buckets: {
      input: prompt - cacheRead - cacheWrite - audioInput,
      cacheRead,
      cacheWrite5m: cacheWrite,
      cacheWrite1h: 0,
      audioInput,
      output: output - audioOut,
      audioOutput: audioOut,
      reasoning,
    },
    costUsd: costIn(usage),
    asChatUsage: {
      ...counts,
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      ...(cacheRead > 0 && { prompt_tokens_details: { ...inPrompt, cached_tokens: cacheRead } }),
    },
  }
}
